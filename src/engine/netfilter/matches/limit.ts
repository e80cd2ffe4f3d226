import { parseUint } from '../args';
import { opt } from '../match-util';
import { NF_STATE } from '../model';
import { defineMatch, paramProblem } from '../xt';

/** XT_LIMIT_SCALE: rates are kept in ten-thousandths of a second per packet. */
export const LIMIT_SCALE = 10_000;
const UNITS: readonly (readonly [string, number])[] = [
  ['day', 86400],
  ['hour', 3600],
  ['min', 60],
  ['sec', 1],
];

/** `5/min` → cost of a packet in 1/10000 s. */
export function parseRate(text: string): number {
  const bad = (): never => {
    throw paramProblem(`bad rate "${text}"'`);
  };
  const [n, unit] = text.split('/');
  let mult = 1;
  if (unit !== undefined) {
    const hit = ['second', 'minute', 'hour', 'day'].findIndex((u) => unit !== '' && u.startsWith(unit.toLowerCase()));
    if (hit < 0) return bad();
    mult = [1, 60, 3600, 86400][hit] as number;
  }
  const r = parseUint(n ?? '', 0, 0xffffffff);
  if (r === undefined || r === 0) return bad();
  if (r / mult > LIMIT_SCALE) throw paramProblem(`Rate too fast "${text}"`);
  return Math.floor((LIMIT_SCALE * mult) / r);
}

/** Cost → `5/min`, in the largest unit that keeps it whole (print_rate of libxt_limit). */
export function rateText(period: number): string {
  if (period === 0) return 'Infinite';
  const rates = [86400, 3600, 60, 1].map((s) => s * LIMIT_SCALE);
  let i = 1;
  for (; i < 4; i++) {
    const m = rates[i] as number;
    if (period > m || m / period < m % period) break;
  }
  return `${Math.floor((rates[i - 1] as number) / period)}/${UNITS[i - 1]?.[0]}`;
}

/** Credits of a token bucket (ipt_limit): one packet costs `avg`, `burst` packets at most are saved up. */
export interface Bucket {
  readonly credit: number;
  readonly atUs: number;
}

/** Whether a packet passes; the new bucket. Credits are in 1/10000 s. */
export function spend(
  b: Bucket | undefined,
  avg: number,
  burst: number,
  nowUs: number,
): { pass: boolean; next: Bucket } {
  const cap = avg * burst;
  const was = b ?? { credit: cap, atUs: nowUs };
  const grown = Math.floor((nowUs - was.atUs) / 100);
  const credit = Math.min(cap, was.credit + grown);
  const atUs = was.atUs + grown * 100;
  if (credit >= avg) return { pass: true, next: { credit: credit - avg, atUs } };
  return { pass: false, next: { credit, atUs } };
}

/** xt_limit. */
export const limit = defineMatch<{ avg: number; burst: number }>({
  name: 'limit',
  options: [opt('limit', 1, false), opt('limit-burst', 1, false)],
  hidden: true,
  init: () => ({ avg: parseRate('3/hour'), burst: 5 }),
  parse(s, o, [arg = '']) {
    if (o === 'limit') s.avg = parseRate(arg);
    else {
      const n = parseUint(arg, 0, 10000);
      if (n === undefined)
        throw paramProblem(`limit: bad value for option "--limit-burst", or out of range (0-10000).\n`);
      s.burst = n;
    }
  },
  print: (s) => `--limit ${rateText(s.avg)}${s.burst !== 5 ? ` --limit-burst ${s.burst}` : ''}`,
  list: (s) => `limit: avg ${rateText(s.avg)} burst ${s.burst}`,
  compile(s, env, key) {
    const map = env.world.map(NF_STATE);
    return () => {
      const r = spend(map.get(key) as unknown as Bucket | undefined, s.avg, s.burst, env.world.nowUs);
      map.set(key, r.next as never);
      return r.pass;
    };
  },
  value: () => '',
});
