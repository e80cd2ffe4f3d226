import { hash32 } from '../../base/hash';
import { ipow } from '../../base/int';
import { formatIpv4, parseCidr, parseIpv4 } from '../../base/ip';
import type { NetnsId } from '../../net/types';
import { portNumber } from './element';
import { SET_TYPES, type SetRecord } from './types';
import { number, refused, syntax, UsageError } from './words';

/** Old names of types. */
const ALIASES: Readonly<Record<string, string>> = {
  iphash: 'hash:ip',
  nethash: 'hash:net',
  ipporthash: 'hash:ip,port',
  ipportiphash: 'hash:ip,port,ip',
  ipportnethash: 'hash:ip,port,net',
  portmap: 'bitmap:port',
  ipmap: 'bitmap:ip',
  setlist: 'list:set',
};

const FLAGS: readonly string[] = ['counters', 'comment', 'forceadd', 'skbinfo'];
const VALUES: Readonly<Record<string, readonly string[]>> = {
  bitmap: ['range', 'timeout', 'netmask'],
  hash: ['family', 'hashsize', 'maxelem', 'netmask', 'timeout', 'bucketsize', 'initval'],
  list: ['size', 'timeout'],
};
const MAX_TIMEOUT = 2_147_483;
const U32 = 4_294_967_295;

/** The set that `create NAME TYPE [options]` describes; throws what the program says. */
export function newSet(netns: NetnsId, args: readonly string[]): SetRecord {
  const [name = '', typed = ''] = args;
  if (name.length > 31) throw syntax(`setname '${name}' is longer than 31 characters`);
  const type = ALIASES[typed] ?? typed;
  if (!SET_TYPES[type]) throw syntax(`typename '${typed}' is unknown`);
  const kind = type.slice(0, type.indexOf(':'));
  const s: Record<string, unknown> = {};
  for (let i = 2; i < args.length; i++) {
    const key = args[i] as string;
    if (FLAGS.includes(key) && (kind === 'hash' || key !== 'forceadd')) {
      s[key] = true;
      continue;
    }
    if (kind === 'hash' && (key === '-4' || key === '-6')) {
      s.family = key === '-6' ? 6 : 4;
      continue;
    }
    if (!VALUES[kind]?.includes(key)) throw new UsageError(`Unknown argument: \`${key}'`);
    const value = args[++i];
    if (value === undefined) throw new UsageError(`Missing mandatory argument of option \`${key}'`);
    option(s, type, key, value);
  }
  if (kind === 'bitmap' && s.range === undefined) throw new UsageError("Mandatory option `range' is missing");
  return {
    netns,
    name,
    type,
    family: 4,
    hashsize: 1024,
    maxelem: 65_536,
    initval: hash32(`${netns}|${name}`),
    ...(type === 'list:set' ? { size: 8 } : {}),
    ...s,
    members: [],
  } as SetRecord;
}

function option(s: Record<string, unknown>, type: string, key: string, value: string): void {
  switch (key) {
    case 'family':
      if (value !== 'inet' && value !== 'inet6') throw syntax(`unknown INET family ${value}`);
      s.family = value === 'inet6' ? 6 : 4;
      return;
    case 'range':
      s.range = type === 'bitmap:port' ? portRange(value) : ipRange(value);
      return;
    case 'timeout':
      s.timeout = number(value, 0, MAX_TIMEOUT);
      return;
    case 'netmask':
      s.netmask = number(value, 1, s.family === 6 ? 128 : 32);
      return;
    case 'initval':
    case 'bucketsize':
      number(value, 0, U32);
      return;
    default:
      s[key] = number(value, 0, U32);
  }
}

function portRange(value: string): [string, string] {
  const [from = '', to] = value.replace(/^[a-z]+:/, '').split('-');
  const low = portNumber(from, 'tcp');
  if (to === undefined) throw new UsageError("Mandatory option `to' is missing");
  const high = portNumber(to, 'tcp');
  return [String(Math.min(low, high)), String(Math.max(low, high))];
}

function ipRange(value: string): [string, string] {
  const cidr = value.includes('/') ? parseCidr(value) : undefined;
  if (cidr) {
    const low = parseIpv4(cidr.base) ?? 0;
    return [cidr.base, formatIpv4(low + ipow(2, 32 - cidr.prefix) - 1)];
  }
  const [from = '', to] = value.split('-');
  for (const ip of [from, to]) {
    if (ip !== undefined && parseIpv4(ip) === undefined)
      throw syntax(`cannot parse ${ip}: resolving to IPv4 address failed`);
  }
  if (to === undefined) throw new UsageError("Mandatory option `to' is missing");
  return [from, to];
}

/** Whether a set of the same name is the one that `create -exist` asks for (same_set of the types). */
export function sameSet(a: SetRecord, b: SetRecord): boolean {
  const facts = (s: SetRecord): string =>
    [s.type, s.family, s.maxelem, s.netmask, s.timeout, s.counters, s.comment, s.skbinfo, s.range?.join('-')].join();
  return facts(a) === facts(b);
}

export const exists = (): Error => refused('Set cannot be created: set with the same name already exists');
