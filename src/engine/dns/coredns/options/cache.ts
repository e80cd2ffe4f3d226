import { CorefileError } from '../corefile';
import { atoi, parseDuration } from '../duration';
import { normalName, origins } from '../normalize';
import type { Controller } from '../plugin';

/** Arguments of the cache plugin. */
export interface CacheOptions {
  zones: string[];
  pttl: number;
  nttl: number;
  minPttl: number;
  minNttl: number;
  failTtl: number;
  pcap: number;
  ncap: number;
  prefetch: number;
  prefetchUs: number;
  percentage: number;
  staleUpTo: number;
  verify: boolean;
  staleTtl: number;
  recheckUs: number;
  preferPositive: boolean;
  pexcept: string[];
  nexcept: string[];
  keepTtl: boolean;
}

/** Least TTL that a stored answer gets (s), and the cap for answers without a TTL of their own. */
export const MIN_TTL = 5;
export const MAX_TTL = 3600;
const DEFAULT_CAP = 10_000;

function seconds(text: string, what: string): number {
  const n = atoi(text);
  if (typeof n === 'string') throw new CorefileError(n);
  if (n <= 0) throw new CorefileError(`${what} can not be zero or negative: ${n}`);
  return n;
}

function capacity(c: Controller, o: CacheOptions, which: 'p' | 'n'): void {
  const args = c.remainingArgs();
  if (args.length === 0) throw c.argErr();
  const cap = atoi(args[0] as string);
  if (typeof cap === 'string') throw new CorefileError(cap);
  const ttl = args[1] === undefined ? undefined : seconds(args[1], 'cache TTL');
  let min: number | undefined;
  if (args[2] !== undefined) {
    const n = atoi(args[2]);
    if (typeof n === 'string') throw new CorefileError(n);
    if (n < 0) throw new CorefileError(`cache min TTL can not be negative: ${n}`);
    min = n;
  }
  if (which === 'p') {
    o.pcap = cap;
    o.pttl = ttl ?? o.pttl;
    o.minPttl = min ?? o.minPttl;
  } else {
    o.ncap = cap;
    o.nttl = ttl ?? o.nttl;
    o.minNttl = min ?? o.minNttl;
  }
}

function goDuration(text: string): number {
  const us = parseDuration(text);
  if (us === undefined) throw new CorefileError(`time: invalid duration ${JSON.stringify(text)}`);
  return us;
}

function prefetch(c: Controller, o: CacheOptions): void {
  const args = c.remainingArgs();
  if (args.length === 0 || args.length > 3) throw c.argErr();
  const amount = atoi(args[0] as string);
  if (typeof amount === 'string') throw new CorefileError(amount);
  if (amount < 0) throw new CorefileError(`prefetch amount should be positive: ${amount}`);
  o.prefetch = amount;
  if (args[1] !== undefined) o.prefetchUs = goDuration(args[1]);
  if (args[2] !== undefined) {
    const pct = args[2];
    const last = pct[pct.length - 1];
    if (last !== '%') throw new CorefileError(`last character of percentage should be \`%\`, but is: ${`'${last}'`}`);
    const n = atoi(pct.slice(0, -1));
    if (typeof n === 'string') throw new CorefileError(n);
    if (n < 10 || n > 90) throw new CorefileError(`percentage should fall in range [10, 90]: ${n}`);
    o.percentage = n;
  }
}

function serveStale(c: Controller, o: CacheOptions): void {
  const args = c.remainingArgs();
  if (args.length > 5) throw c.argErr();
  o.staleUpTo = 3600;
  if (args[0] !== undefined) {
    const us = goDuration(args[0]);
    if (us < 0) throw new CorefileError('invalid negative duration for serve_stale');
    o.staleUpTo = us / 1_000_000;
  }
  const mode = args[1]?.toLowerCase() ?? 'immediate';
  if (mode !== 'immediate' && mode !== 'verify')
    throw new CorefileError(`invalid value for serve_stale refresh mode: ${mode}`);
  o.verify = mode === 'verify';
  const rest = args.slice(o.verify ? 3 : 2);
  if (rest[0] !== undefined) o.staleTtl = goDuration(rest[0]) / 1_000_000;
  if (rest[1] !== undefined) o.recheckUs = goDuration(rest[1]);
}

function disable(c: Controller, o: CacheOptions): void {
  const args = c.remainingArgs();
  if (args.length < 1) throw c.argErr();
  const zones = args.length > 1 ? args.slice(1).map(normalName) : ['.'];
  if (args[0] === 'denial') o.nexcept = zones;
  else if (args[0] === 'success') o.pexcept = zones;
  else throw new CorefileError('cache type for disable must be "success" or "denial"');
}

/** Reads the directive's arguments and block. */
export function parseCache(c: Controller): CacheOptions {
  const o: CacheOptions = {
    zones: ['.'],
    pttl: MAX_TTL,
    nttl: MAX_TTL / 2,
    minPttl: MIN_TTL,
    minNttl: MIN_TTL,
    failTtl: MIN_TTL,
    pcap: DEFAULT_CAP,
    ncap: DEFAULT_CAP,
    prefetch: 0,
    prefetchUs: 60_000_000,
    percentage: 10,
    staleUpTo: 0,
    verify: false,
    staleTtl: 0,
    recheckUs: 0,
    preferPositive: false,
    pexcept: [],
    nexcept: [],
    keepTtl: false,
  };
  let args = c.remainingArgs();
  if (args[0] !== undefined && typeof atoi(args[0]) === 'number') {
    o.pttl = seconds(args[0], 'cache TTL');
    o.nttl = o.pttl;
    args = args.slice(1);
  }
  o.zones = origins(args, c.keys);
  let policy = false;
  while (c.nextBlock()) {
    switch (c.val()) {
      case 'success':
        capacity(c, o, 'p');
        break;
      case 'denial':
        capacity(c, o, 'n');
        break;
      case 'prefetch':
        prefetch(c, o);
        break;
      case 'serve_stale':
        serveStale(c, o);
        break;
      case 'serve_stale_policy': {
        if (policy) throw new CorefileError('serve_stale_policy can only be specified once');
        policy = true;
        const a = c.remainingArgs();
        if (a.length !== 1) throw c.argErr();
        if ((a[0] as string).toLowerCase() !== 'prefer_positive')
          throw new CorefileError(`invalid serve_stale_policy: ${a[0]}`);
        o.preferPositive = true;
        break;
      }
      case 'servfail': {
        const a = c.remainingArgs();
        if (a.length !== 1) throw c.argErr();
        const us = goDuration(a[0] as string);
        if (us < 0) throw new CorefileError('invalid negative ttl for servfail');
        if (us > 300_000_000) throw new CorefileError('caching SERVFAIL responses over 5 minutes is not permitted');
        o.failTtl = Math.trunc(us / 1_000_000);
        break;
      }
      case 'disable':
        disable(c, o);
        break;
      case 'keepttl':
        if (c.remainingArgs().length > 0) throw c.argErr();
        o.keepTtl = true;
        break;
      default:
        throw c.argErr();
    }
  }
  if (policy && o.staleUpTo === 0) throw new CorefileError('serve_stale_policy requires serve_stale');
  return o;
}
