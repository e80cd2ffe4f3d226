import { parseUint, saveString } from '../args';
import { logLine } from '../logline';
import { opt } from '../match-util';
import { CONTINUE, defineTarget, extProblem } from '../xt';

interface LogTarget {
  prefix: string;
  level: number;
  flags: number;
}
const LEVELS = ['emerg', 'alert', 'crit', 'error', 'warning', 'notice', 'info', 'debug'];
const FLAGS: readonly (readonly [string, number, string])[] = [
  ['log-tcp-sequence', 1, 'tcp-sequence'],
  ['log-tcp-options', 2, 'tcp-options'],
  ['log-ip-options', 4, 'ip-options'],
  ['log-uid', 8, 'uid'],
  ['log-macdecode', 32, 'macdecode'],
];

/** xt_LOG. A child namespace prints only with net.netfilter.nf_log_all_netns=1. */
export const log = defineTarget<LogTarget>({
  name: 'LOG',
  options: [opt('log-prefix', 1, false), opt('log-level', 1, false), ...FLAGS.map(([name]) => opt(name, 0, false))],
  init: () => ({ prefix: '', level: 4, flags: 0 }),
  parse(s, o, [arg = '']) {
    if (o === 'log-prefix') {
      // 1.8.9 cuts without a word at 29 characters.
      s.prefix = arg.slice(0, 29);
    } else if (o === 'log-level') {
      const name = arg.toLowerCase() === 'panic' ? 'emerg' : arg.toLowerCase();
      const n = parseUint(arg, 0, 7) ?? LEVELS.findIndex((l) => name !== '' && l.startsWith(name));
      if (n < 0) throw extProblem('LOG', `log-level \`${arg}' unknown`);
      s.level = n;
    } else s.flags |= FLAGS.find(([name]) => name === o)?.[1] ?? 0;
  },
  print: (s) =>
    [
      ...(s.prefix === '' ? [] : [`--log-prefix ${saveString(s.prefix)}`]),
      ...(s.level === 4 ? [] : [`--log-level ${s.level}`]),
      ...FLAGS.filter(([, bit]) => (s.flags & bit) !== 0).map(([name]) => `--${name}`),
    ].join(' '),
  list: (s, ctx) =>
    [
      'LOG',
      ...(ctx.numeric
        ? [`flags ${s.flags} level ${s.level}`]
        : [`level ${LEVELS[s.level]}`, ...FLAGS.filter(([, bit]) => (s.flags & bit) !== 0).map(([, , word]) => word)]),
      ...(s.prefix === '' ? [] : [`prefix "${s.prefix}"`]),
    ].join(' '),
  run(s, f, ctx) {
    ctx.env.log(s.prefix + logLine(f, { uid: (s.flags & 8) !== 0, tcpSeq: (s.flags & 1) !== 0 }));
    return CONTINUE;
  },
});
