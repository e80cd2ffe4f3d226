import { parseUint, saveString } from '../args';
import { opt } from '../match-util';
import { CONTINUE, defineTarget, extProblem } from '../xt';

interface NflogTarget {
  group: number;
  prefix: string;
  size?: number;
  threshold?: number;
}

/** xt_NFLOG: to a userspace logger; nobody listens in the model, so the packet just goes on. */
export const nflog = defineTarget<NflogTarget>({
  name: 'NFLOG',
  options: [
    opt('nflog-group', 1, false),
    opt('nflog-prefix', 1, false),
    opt('nflog-range', 1, false),
    opt('nflog-size', 1, false),
    opt('nflog-threshold', 1, false),
  ],
  init: () => ({ group: 0, prefix: '' }),
  parse(s, o, [arg = '']) {
    if (o === 'nflog-prefix') {
      s.prefix = arg.slice(0, 63);
      return;
    }
    const n = parseUint(arg, 0, o === 'nflog-group' || o === 'nflog-threshold' ? 65535 : 0xffffffff);
    if (n === undefined) throw extProblem('NFLOG', `bad value for option "--${o}", or out of range.\n`);
    if (o === 'nflog-group') s.group = n;
    else if (o === 'nflog-size') s.size = n;
    else if (o === 'nflog-threshold') s.threshold = n;
  },
  print: (s) =>
    [
      ...(s.prefix === '' ? [] : [`--nflog-prefix ${saveString(s.prefix)}`]),
      ...(s.group === 0 ? [] : [`--nflog-group ${s.group}`]),
      ...(s.size === undefined ? [] : [`--nflog-size ${s.size}`]),
      ...(s.threshold ? [`--nflog-threshold ${s.threshold}`] : []),
    ].join(' '),
  list: (s) =>
    [
      ...(s.prefix === '' ? [] : [`nflog-prefix ${saveString(s.prefix)}`]),
      ...(s.group === 0 ? [] : [`nflog-group ${s.group}`]),
      ...(s.size === undefined ? [] : [`nflog-size ${s.size}`]),
      ...(s.threshold ? [`nflog-threshold ${s.threshold}`] : []),
    ].join(' '),
  run: () => CONTINUE,
});
