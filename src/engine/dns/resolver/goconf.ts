import { ipFamily } from '../../base/ip';

/** What Go's own resolver reads from resolv.conf (net/dnsconfig_unix.go, Go 1.26). */
export interface GoConf {
  readonly servers: readonly string[];
  /** Absolute names. */
  readonly search: readonly string[];
  readonly ndots: number;
  /** Seconds for one exchange. */
  readonly timeout: number;
  readonly attempts: number;
  readonly rotate: boolean;
  readonly singleRequest: boolean;
  readonly useTcp: boolean;
  readonly trustAd: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const MAX_SERVERS = 3;
const rooted = (s: string): string => (s.endsWith('.') ? s : `${s}.`);
/** Leading digits as a number; 0 when there are none. */
const digits = (s: string): number => Math.min(Number(/^\d*/.exec(s)?.[0] || '0'), 0xffffff);

export function goConf(text: string): GoConf {
  const servers: string[] = [];
  const c: Mutable<GoConf> = {
    servers: ['127.0.0.1', '::1'],
    search: [],
    ndots: 1,
    timeout: 5,
    attempts: 2,
    rotate: false,
    singleRequest: false,
    useTcp: false,
    trustAd: false,
  };
  for (const line of text.split('\n')) {
    if (line.startsWith(';') || line.startsWith('#')) continue;
    const [word, ...rest] = line.split(/[ \r\t]+/).filter((w) => w !== '');
    const first = rest[0];
    if (word === 'nameserver') {
      if (first !== undefined && servers.length < MAX_SERVERS && ipFamily(first) !== undefined) servers.push(first);
    } else if (word === 'domain' && first !== undefined) c.search = [rooted(first)];
    else if (word === 'search') c.search = rest.map(rooted).filter((s) => s !== '.');
    else if (word === 'options') for (const o of rest) setOption(c, o);
  }
  if (servers.length > 0) c.servers = servers;
  return c;
}

function setOption(c: Mutable<GoConf>, o: string): void {
  if (o.startsWith('ndots:')) c.ndots = Math.min(digits(o.slice(6)), 15);
  else if (o.startsWith('timeout:')) c.timeout = Math.max(1, digits(o.slice(8)));
  else if (o.startsWith('attempts:')) c.attempts = Math.max(1, digits(o.slice(9)));
  else if (o === 'rotate') c.rotate = true;
  else if (o === 'single-request' || o === 'single-request-reopen') c.singleRequest = true;
  else if (o === 'use-vc' || o === 'usevc' || o === 'tcp') c.useTcp = true;
  else if (o === 'trust-ad') c.trustAd = true;
}

const MAX_NAME = 254;
const avoided = (name: string): boolean => name === '' || /\.onion\.?$/i.test(name);

/** Names in the order in which Go tries them until one has an address (dnsConfig.nameList). */
export function goCandidates(name: string, c: Pick<GoConf, 'ndots' | 'search'>): string[] {
  const absolute = name.endsWith('.');
  if (name.length > MAX_NAME || (name.length === MAX_NAME && !absolute)) return [];
  if (absolute) return avoided(name) ? [] : [name];
  const enough = name.split('.').length - 1 >= c.ndots;
  const asIs = avoided(`${name}.`) ? [] : [`${name}.`];
  const searched = c.search.map((s) => `${name}.${s}`).filter((n) => !avoided(n) && n.length <= MAX_NAME);
  return enough ? [...asIs, ...searched] : [...searched, ...asIs];
}

/** isDomainName: letters, digits, `_` and inner `-`, labels up to 63, and not all digits. */
export function isDomainName(s: string): boolean {
  if (s === '.') return true;
  if (s.length === 0 || s.length > MAX_NAME || (s.length === MAX_NAME && !s.endsWith('.'))) return false;
  if (!/^[A-Za-z0-9_.-]+$/.test(s) || !/[A-Za-z_-]/.test(s)) return false;
  const labels = (s.endsWith('.') ? s.slice(0, -1) : s).split('.');
  return labels.every((l) => l.length > 0 && l.length <= 63 && !l.startsWith('-') && !l.endsWith('-'));
}
