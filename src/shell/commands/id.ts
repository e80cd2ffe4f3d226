import { type Command, out } from '../command';
import { userName } from './whoami';

export const id: Command = {
  name: 'id',
  usage: 'id [-u]',
  acts: () => false,
  run: (ctx) => {
    if (ctx.argv[1] === '-u') return out(`${ctx.uid}\n`);
    const group = ctx.uid === 65534 ? 'nogroup' : userName(ctx.uid);
    return out(`uid=${ctx.uid}(${userName(ctx.uid)}) gid=${ctx.uid}(${group}) groups=${ctx.uid}(${group})\n`);
  },
};
