import { freeze } from '../../base/json';
import { packetLen } from '../../net/types';
import { opt } from '../match-util';
import { NF_STATE } from '../model';
import { defineMatch } from '../xt';

/** xt_nfacct: counts into a named object and always matches (quotas are not modelled). */
export const nfacct = defineMatch<{ name: string }>({
  name: 'nfacct',
  options: [opt('nfacct-name', 1, false, { required: true })],
  hidden: true,
  init: () => ({ name: '' }),
  parse(s, _o, [arg = '']) {
    s.name = arg;
  },
  print: (s) => `--nfacct-name  ${s.name}`,
  list: (s) => `nfacct-name  ${s.name}`,
  compile(s, env) {
    const map = env.world.map(NF_STATE);
    const key = `nfacct|${env.netns}|${s.name}`;
    return (f) => {
      const was = (map.get(key) as { packets: number; bytes: number } | undefined) ?? { packets: 0, bytes: 0 };
      map.set(key, freeze({ packets: was.packets + 1, bytes: was.bytes + packetLen(f.packet) }));
      return true;
    };
  },
  value: () => '',
});
