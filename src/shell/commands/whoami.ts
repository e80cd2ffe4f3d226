import { type Command, out } from '../command';

export const userName = (uid: number): string => (uid === 0 ? 'root' : uid === 65534 ? 'nobody' : String(uid));

export const whoami: Command = {
  name: 'whoami',
  usage: 'whoami',
  acts: () => false,
  run: (ctx) => out(`${userName(ctx.uid)}\n`),
};
