import { parseUint } from '../args';
import { bang, opt } from '../match-util';
import { NF_STATE } from '../model';
import { defineMatch, extProblem, paramProblem } from '../xt';

interface StatisticSpec {
  mode: 'random' | 'nth';
  /** 0..2^31, as the kernel stores it. */
  probability: number;
  every: number;
  packet: number;
  not?: boolean;
}

/** lround(0x80000000 * p) as userspace does it, in integers: p comes as decimal text. */
function probabilityOf(text: string): number | undefined {
  if (!/^[0-9]*\.?[0-9]*([eE]-?[0-9]+)?$/.test(text) || !/[0-9]/.test(text)) return undefined;
  const p = Number(text);
  if (!(p >= 0 && p <= 1)) return undefined;
  return Math.round(0x80000000 * p);
}

const printProbability = (p: number): string => (p / 0x80000000).toFixed(11);

/** xt_statistic. */
export const statistic = defineMatch<StatisticSpec>({
  name: 'statistic',
  options: [opt('mode', 1, false, { required: true }), opt('probability'), opt('every'), opt('packet', 1, false)],
  hidden: true,
  init: () => ({ mode: 'random', probability: 0, every: 0, packet: 0 }),
  parse(s, o, [arg = ''], not) {
    if (not) s.not = true;
    if (o === 'mode') {
      if (arg !== 'random' && arg !== 'nth') throw paramProblem(`Bad mode "${arg}"`);
      s.mode = arg;
    } else if (o === 'probability') {
      const p = probabilityOf(arg);
      if (p === undefined)
        throw extProblem('statistic', 'bad value for option "--probability", or out of range (0-1).\n');
      s.probability = p;
    } else {
      const n = parseUint(arg, o === 'every' ? 1 : 0, 0xffffffff);
      if (n === undefined)
        throw extProblem(
          'statistic',
          `bad value for option "--${o}", or out of range (${o === 'every' ? 1 : 0}-4294967295).\n`,
        );
      s[o as 'every' | 'packet'] = n;
    }
  },
  check(s, given) {
    if (s.mode === 'random' && !given.has('probability'))
      throw paramProblem('--probability must be specified when using random mode');
    if (s.mode === 'nth') {
      if (!given.has('every')) throw paramProblem('--every must be specified when using nth mode');
      if (s.packet >= s.every) throw paramProblem('the --packet p must be 0 <= p <= n-1');
    }
  },
  print: (s) =>
    s.mode === 'random'
      ? `--mode random ${bang(s.not)}--probability ${printProbability(s.probability)}`
      : `--mode nth ${bang(s.not)}--every ${s.every} --packet ${s.packet}`,
  list: (s) =>
    s.mode === 'random'
      ? `statistic mode random${s.not ? ' !' : ''} probability ${printProbability(s.probability)}`
      : `statistic mode nth${s.not ? ' !' : ''} every ${s.every}${s.packet ? ` packet ${s.packet}` : ''}`,
  compile(s, env, key) {
    const inv = s.not ?? false;
    if (s.mode === 'random') {
      const { probability } = s;
      return () => {
        const draw = env.draws.u31();
        lastDraw.value = draw;
        lastDraw.below = probability;
        return draw < probability !== inv;
      };
    }
    const every = s.every - 1;
    const first = s.every - 1 - s.packet;
    const map = env.world.map(NF_STATE);
    return () => {
      const old = (map.get(key) as number | undefined) ?? first;
      const next = old === every ? 0 : old + 1;
      map.set(key, next);
      lastDraw.value = next;
      lastDraw.below = 1;
      return (next === 0) !== inv;
    };
  },
  value: (s) =>
    s.mode === 'random' ? `drew ${lastDraw.value}, below ${lastDraw.below}` : `count ${lastDraw.value} of ${s.every}`,
});

/** The number that the last evaluated statistic match saw, for the trace event of that rule. */
export const lastDraw = { value: 0, below: 0 };
