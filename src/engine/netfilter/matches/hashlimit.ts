import { maskIp } from '../../base/ip';
import { freeze } from '../../base/json';
import { parseUint, saveString } from '../args';
import { opt } from '../match-util';
import { NF_STATE } from '../model';
import { defineMatch, extProblem, type Facts, paramProblem } from '../xt';
import { type Bucket, parseRate, rateText, spend } from './limit';

interface HashlimitSpec {
  kind: 'upto' | 'above' | '';
  avg: number;
  burst: number;
  mode: string[];
  name: string;
  srcmask: number;
  dstmask: number;
  expireMs?: number;
}
const MODES = ['srcip', 'srcport', 'dstip', 'dstport'];
interface Buckets {
  readonly [key: string]: Bucket;
}

function keyOf(s: HashlimitSpec, f: Facts): string {
  return s.mode
    .map((m) =>
      m === 'srcip'
        ? maskIp(f.packet.ip.src, s.srcmask)
        : m === 'dstip'
          ? maskIp(f.packet.ip.dst, s.dstmask)
          : String(m === 'srcport' ? f.sport : f.dport),
    )
    .join(' ');
}

/** xt_hashlimit, packets per time (not bytes): one token bucket per group of packets. */
export const hashlimit = defineMatch<HashlimitSpec>({
  name: 'hashlimit',
  options: [
    opt('hashlimit-upto|hashlimit', 1, false, { excludes: ['hashlimit-above'] }),
    opt('hashlimit-above', 1, false, { excludes: ['hashlimit-upto'] }),
    opt('hashlimit-burst', 1, false),
    opt('hashlimit-mode', 1, false),
    opt('hashlimit-name', 1, false, { required: true }),
    opt('hashlimit-srcmask', 1, false),
    opt('hashlimit-dstmask', 1, false),
    opt('hashlimit-htable-expire', 1, false),
    opt('hashlimit-htable-size', 1, false),
    opt('hashlimit-htable-max', 1, false),
    opt('hashlimit-htable-gcinterval', 1, false),
  ],
  hidden: true,
  init: () => ({ kind: '', avg: 0, burst: 5, mode: [], name: '', srcmask: 32, dstmask: 32 }),
  parse(s, o, [arg = ''], _not, ctx) {
    const num = (): number => {
      const n = parseUint(arg, 0, 0xffffffff);
      if (n === undefined) throw extProblem('hashlimit', `bad value for option "--${o}", or out of range.\n`);
      return n;
    };
    if (o === 'hashlimit-upto' || o === 'hashlimit-above') {
      if (/b\/s/.test(arg)) throw extProblem('hashlimit', 'byte based matching is unsupported');
      s.kind = o === 'hashlimit-upto' ? 'upto' : 'above';
      s.avg = parseRate(arg);
    } else if (o === 'hashlimit-burst') s.burst = num();
    else if (o === 'hashlimit-name') s.name = arg;
    else if (o === 'hashlimit-srcmask') s.srcmask = num();
    else if (o === 'hashlimit-dstmask') s.dstmask = num();
    else if (o === 'hashlimit-htable-expire') s.expireMs = num();
    else if (o === 'hashlimit-mode') {
      for (const m of arg.split(',')) {
        if (!MODES.includes(m))
          throw paramProblem(`hashlimit: bad value for option "--hashlimit-mode", or out of range.\n`);
        s.mode.push(m);
      }
    } else num();
    if (ctx.family === 6 && s.srcmask === 32) {
      s.srcmask = 128;
      s.dstmask = 128;
    }
  },
  check(s) {
    if (s.kind === '') throw paramProblem('You have to specify --hashlimit');
    if (s.name === '') throw paramProblem('You have to specify --hashlimit-name');
  },
  list_key: (s) => `hashlimit|${s.name}`,
  print: (s) =>
    [
      `--hashlimit-${s.kind} ${rateText(s.avg)}`,
      `--hashlimit-burst ${s.burst}`,
      ...(s.mode.length > 0 ? [`--hashlimit-mode ${s.mode.join(',')}`] : []),
      `--hashlimit-name ${saveString(s.name)}`,
      ...(s.expireMs !== undefined ? [`--hashlimit-htable-expire ${s.expireMs}`] : []),
      ...(s.srcmask !== 32 && s.srcmask !== 128 ? [`--hashlimit-srcmask ${s.srcmask}`] : []),
      ...(s.dstmask !== 32 && s.dstmask !== 128 ? [`--hashlimit-dstmask ${s.dstmask}`] : []),
    ].join(' '),
  list: (s) =>
    `limit: ${s.kind === 'upto' ? 'up to' : 'above'} ${rateText(s.avg)} burst ${s.burst}${
      s.mode.length > 0 ? ` mode ${s.mode.join('-')}` : ''
    }`,
  compile(s, env) {
    const map = env.world.map(NF_STATE);
    const key = `hashlimit|${env.netns}|${s.name}`;
    return (f) => {
      const all = (map.get(key) as unknown as Buckets | undefined) ?? {};
      const k = keyOf(s, f);
      const r = spend(all[k], s.avg, s.burst, env.world.nowUs);
      map.set(key, freeze({ ...all, [k]: r.next }) as never);
      return r.pass === (s.kind === 'upto');
    };
  },
  value: (s, f) => keyOf(s, f),
});
