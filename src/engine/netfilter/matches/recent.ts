import { ipFamily, maskIp } from '../../base/ip';
import { freeze } from '../../base/json';
import { parseUint, prefixOf } from '../args';
import { bang, opt } from '../match-util';
import { NF_STATE } from '../model';
import { defineMatch, extProblem, paramProblem, type XtEnv } from '../xt';

interface RecentSpec {
  verb: 'set' | 'rcheck' | 'update' | 'remove' | '';
  not?: boolean;
  seconds?: number;
  hitcount?: number;
  reap?: boolean;
  rttl?: boolean;
  name: string;
  side: 'rsource' | 'rdest';
  mask: string;
}

/** One address of a list: its TTL when set, and when it was seen, us, oldest first. */
export interface RecentEntry {
  readonly addr: string;
  readonly ttl: number;
  readonly stamps: readonly number[];
}
export interface RecentList {
  readonly entries: readonly RecentEntry[];
}

/** ip_list_tot: 100 addresses a list; then the one seen longest ago goes. */
const LIST_TOTAL = 100;

export const recentKey = (netns: string, family: number, name: string): string => `recent|${netns}|${family}|${name}`;

const maskAddr = (addr: string, mask: string): string => maskIp(addr, prefixOf(mask) ?? 32);

/** xt_recent: lists of addresses seen. They live as long as some rule names them. */
export const recent = defineMatch<RecentSpec>({
  name: 'recent',
  options: [
    opt('set', 0, true, { excludes: ['rcheck', 'update', 'remove'] }),
    opt('rcheck', 0, true, { excludes: ['set', 'update', 'remove'] }),
    opt('update', 0, true, { excludes: ['set', 'rcheck', 'remove'] }),
    opt('remove', 0, true, { excludes: ['set', 'rcheck', 'update'] }),
    opt('seconds', 1, false),
    opt('reap', 0, false, { also: 'seconds' }),
    opt('hitcount', 1, false),
    opt('rttl', 0, false),
    opt('name', 1, false),
    opt('rsource', 0, false),
    opt('rdest', 0, false),
    opt('mask', 1, false),
  ],
  hidden: true,
  init: () => ({ verb: '', name: 'DEFAULT', side: 'rsource', mask: '255.255.255.255' }),
  parse(s, o, [arg = ''], not, ctx) {
    if (not) s.not = true;
    if (o === 'seconds' || o === 'hitcount') {
      const n = parseUint(arg, 1, 0xffffffff);
      if (n === undefined)
        throw extProblem('recent', `bad value for option "--${o}", or out of range (1-4294967295).\n`);
      s[o] = n;
    } else if (o === 'name') s.name = arg.slice(0, 199);
    else if (o === 'mask') {
      if (ipFamily(arg) !== ctx.family) throw extProblem('recent', `Bad IP address "${arg}"`);
      s.mask = arg;
    } else if (o === 'reap') s.reap = true;
    else if (o === 'rttl') s.rttl = true;
    else if (o === 'rsource' || o === 'rdest') s.side = o;
    else s.verb = o as RecentSpec['verb'];
    if (ctx.family === 6 && s.mask === '255.255.255.255') s.mask = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff';
  },
  check(s) {
    if (s.verb === '') {
      throw paramProblem("recent: you must specify one of `--set', `--rcheck' `--update' or `--remove'");
    }
  },
  list_key: (s) => s.name,
  print: (s) =>
    [
      `${bang(s.not)}--${s.verb}`,
      ...(s.seconds ? [`--seconds ${s.seconds}`] : []),
      ...(s.reap ? ['--reap'] : []),
      ...(s.hitcount ? [`--hitcount ${s.hitcount}`] : []),
      ...(s.rttl ? ['--rttl'] : []),
      `--name ${s.name}`,
      `--mask ${s.mask}`,
      `--${s.side}`,
    ].join(' '),
  list: (s) =>
    [
      `${bang(s.not)}recent:`,
      s.verb === 'set' ? 'SET' : s.verb === 'rcheck' ? 'CHECK' : s.verb === 'update' ? 'UPDATE' : 'REMOVE',
      ...(s.seconds ? [`seconds: ${s.seconds}`] : []),
      ...(s.reap ? ['reap'] : []),
      ...(s.hitcount ? [`hit_count: ${s.hitcount}`] : []),
      ...(s.rttl ? ['TTL-Match'] : []),
      `name: ${s.name}`,
      `side: ${s.side === 'rsource' ? 'source' : 'dest'}`,
      `mask: ${s.mask}`,
    ].join(' '),
  compile(s, env) {
    return (f) => {
      const addr = maskAddr(s.side === 'rsource' ? f.packet.ip.src : f.packet.ip.dst, s.mask);
      return run(s, env, f.family, addr, f.packet.ip.ttl);
    };
  },
  value: (s, f) => (s.side === 'rsource' ? f.packet.ip.src : f.packet.ip.dst),
});

/** recent_mt. */
function run(s: RecentSpec, env: XtEnv, family: number, addr: string, ttl: number): boolean {
  const map = env.world.map(NF_STATE);
  const key = recentKey(env.netns, family, s.name);
  const list = (map.get(key) as RecentList | undefined) ?? { entries: [] };
  const inv = s.not ?? false;
  const now = env.world.nowUs;
  let entries = list.entries;
  const e = entries.find((x) => x.addr === addr && (!s.rttl || x.ttl === ttl));
  // Entries stand in order of last use, the one used longest ago first; limits of the list drop from that end.
  const put = (next: readonly RecentEntry[]): void => {
    entries = next;
    map.set(key, freeze({ entries: next }) as never);
  };
  const without = (): RecentEntry[] => entries.filter((x) => x !== e);
  const keep = (stamps: readonly number[]): readonly number[] => stamps.slice(-limitOf(s));

  if (!e) {
    if (s.verb !== 'set') return inv;
    const rest = entries.length >= LIST_TOTAL ? entries.slice(entries.length - LIST_TOTAL + 1) : entries;
    put([...rest, { addr, ttl, stamps: [now] }]);
    return !inv;
  }
  let hit: boolean;
  switch (s.verb) {
    case 'set':
      hit = true;
      break;
    case 'remove':
      put(without());
      return !inv;
    default: {
      const since = s.seconds === undefined ? Number.NEGATIVE_INFINITY : now - s.seconds * 1_000_000;
      let hits = 0;
      hit = false;
      for (const t of e.stamps) {
        if (t < since) continue;
        hits++;
        if (s.hitcount === undefined || hits >= s.hitcount) {
          hit = true;
          break;
        }
      }
      if (s.reap && s.seconds !== undefined) {
        // Only the entries used longest ago are looked at, one at a time (recent_entry_reap).
        const oldest = entries[0];
        const updating = oldest === e && s.verb === 'update' && hit !== inv;
        if (oldest && !updating && (oldest.stamps[oldest.stamps.length - 1] ?? 0) < since) put(entries.slice(1));
      }
    }
  }
  if (s.verb === 'set' || (s.verb === 'update' && hit !== inv)) {
    put([...without(), { addr, ttl, stamps: keep([...e.stamps, now]) }]);
  }
  return hit !== inv;
}

/** nstamps_max: the next power of two above the hit count asked for, 20 unless stated. */
function limitOf(s: RecentSpec): number {
  let n = 1;
  while (n < (s.hitcount ?? 1)) n *= 2;
  return Math.max(n, 20);
}
