import { canonicalIp } from '../../base/ip';
import { fqdn } from '../names';

/** struct __res_state as far as it steers a lookup (glibc 2.36 res_init.c). */
export interface GlibcConf {
  readonly nameservers: readonly string[];
  readonly search: readonly string[];
  readonly ndots: number;
  /** Seconds for the first server (retrans). */
  readonly timeout: number;
  readonly attempts: number;
  readonly rotate: boolean;
  readonly edns0: boolean;
  readonly singleRequest: boolean;
  readonly singleRequestReopen: boolean;
  readonly useVc: boolean;
  readonly trustAd: boolean;
  readonly noAaaa: boolean;
  readonly noTldQuery: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const MAX_NAMESERVERS = 3;

/** Reads resolv.conf and the environment as glibc does. */
export function glibcConf(text: string, env: Readonly<Record<string, string>>): GlibcConf {
  const c: Mutable<GlibcConf> = {
    nameservers: [],
    search: [],
    ndots: 1,
    timeout: 5,
    attempts: 2,
    rotate: false,
    edns0: false,
    singleRequest: false,
    singleRequestReopen: false,
    useVc: false,
    trustAd: false,
    noAaaa: false,
    noTldQuery: false,
  };
  const servers: string[] = [];
  const local = env.LOCALDOMAIN;
  if (local !== undefined) c.search = local.split(/[ \t\n]+/).filter((w) => w !== '');
  for (const line of text.split('\n')) {
    if (line.startsWith(';') || line.startsWith('#')) continue;
    const m = /^(domain|search|nameserver|options)[ \t]+(.*)$/.exec(line);
    if (!m) continue;
    const rest = m[2] as string;
    const words = rest.split(/[ \t]+/).filter((w) => w !== '');
    if (m[1] === 'nameserver' && servers.length < MAX_NAMESERVERS) {
      const ip = canonicalIp((/^[^;# \t\n]*/.exec(rest)?.[0] ?? '').replace(/%.*$/, ''));
      if (ip !== undefined) servers.push(ip);
    } else if (m[1] === 'options') setOptions(c, rest);
    else if (local === undefined && words.length > 0) {
      if (m[1] === 'domain') c.search = words.slice(0, 1);
      else if (m[1] === 'search') c.search = words;
    }
  }
  const options = env.RES_OPTIONS;
  if (options !== undefined) setOptions(c, options);
  c.nameservers = servers.length > 0 ? servers : ['127.0.0.1'];
  return c;
}

function setOptions(c: Mutable<GlibcConf>, text: string): void {
  for (const word of text.split(/[ \t]+/)) {
    const [name, value] = word.split(':');
    const n = Number.parseInt(value ?? '', 10);
    const number = Number.isNaN(n) ? 0 : n;
    switch (name) {
      case 'ndots':
        c.ndots = Math.min(number, 15);
        break;
      case 'timeout':
        c.timeout = Math.min(number, 30);
        break;
      case 'attempts':
        c.attempts = Math.min(number, 5);
        break;
      case 'rotate':
        c.rotate = true;
        break;
      case 'edns0':
        c.edns0 = true;
        break;
      case 'single-request-reopen':
        c.singleRequestReopen = true;
        break;
      case 'single-request':
        c.singleRequest = true;
        break;
      case 'use-vc':
        c.useVc = true;
        break;
      case 'trust-ad':
        c.trustAd = true;
        break;
      case 'no-aaaa':
        c.noAaaa = true;
        break;
      case 'no-tld-query':
        c.noTldQuery = true;
        break;
      default:
    }
  }
}

/**
 * The candidate names of a lookup in the order in which glibc tries them as long as every one is NXDOMAIN or NODATA
 * (res_search: dots against ndots, then the search list, then the name as it is).
 */
export function glibcCandidates(name: string, c: Pick<GlibcConf, 'ndots' | 'search'>): string[] {
  const dots = name.split('.').length - 1;
  if (name.endsWith('.')) return [name];
  const out: string[] = [];
  const asIs = `${name}.`;
  if (dots >= c.ndots) out.push(asIs);
  let root = false;
  for (const d of c.search) {
    const bare = d.replace(/^\./, '');
    if (bare === '') root = true;
    out.push(bare === '' ? asIs : fqdn(`${name}.${bare}`));
  }
  if (dots < c.ndots && !root) out.push(asIs);
  return out;
}
