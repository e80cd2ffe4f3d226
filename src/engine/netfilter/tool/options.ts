import { cidrContains, parseCidr } from '../../base/ip';
import { parseUint } from '../args';
import { type CtEntry, IPS, SCTP_STATES, stateName, TCP_STATES } from '../conntrack/types';

/** A usage error of conntrack(8); exit 2 adds the hint. */
export class CtError extends Error {
  constructor(
    message: string,
    readonly exit = 2,
  ) {
    super(message);
  }
}

export type CtVerb = 'L' | 'G' | 'D' | 'I' | 'A' | 'U' | 'E' | 'F' | 'C' | 'S' | 'h' | 'V';

export interface CtOptions {
  verb: CtVerb | undefined;
  table: 'conntrack' | 'expect' | 'dying' | 'unconfirmed';
  origSrc?: string;
  origDst?: string;
  replySrc?: string;
  replyDst?: string;
  origPortSrc?: number;
  origPortDst?: number;
  replyPortSrc?: number;
  replyPortDst?: number;
  icmpType?: number;
  icmpCode?: number;
  icmpId?: number;
  proto?: number;
  protoName?: string;
  family: 4 | 6 | undefined;
  state?: string;
  timeout?: number;
  status?: string[];
  output: string[];
  events?: string[];
  zero: boolean;
  mark?: { value: number; mask: number };
  zone?: number;
  srcNat?: string | true;
  dstNat?: string | true;
  anyNat?: string | true;
}

const PROTOS: Readonly<Record<string, number>> = {
  tcp: 6,
  udp: 17,
  icmp: 1,
  icmpv6: 58,
  sctp: 132,
  dccp: 33,
  gre: 47,
  udplite: 136,
};
const PORTS = ['tcp', 'udp', 'sctp', 'dccp', 'udplite'];
const VERBS: Readonly<Record<string, CtVerb>> = {
  '-L': 'L',
  '--dump': 'L',
  '-G': 'G',
  '--get': 'G',
  '-D': 'D',
  '--delete': 'D',
  '-I': 'I',
  '--create': 'I',
  '-A': 'A',
  '--add': 'A',
  '-U': 'U',
  '--update': 'U',
  '-E': 'E',
  '--event': 'E',
  '-F': 'F',
  '--flush': 'F',
  '-C': 'C',
  '--count': 'C',
  '-S': 'S',
  '--stats': 'S',
  '-h': 'h',
  '--help': 'h',
  '-V': 'V',
  '--version': 'V',
};
const LONG: Readonly<Record<string, string>> = {
  '--src': '-s',
  '--orig-src': '-s',
  '--dst': '-d',
  '--orig-dst': '-d',
  '--reply-src': '-r',
  '--reply-dst': '-q',
  '--protonum': '-p',
  '--proto': '-p',
  '--family': '-f',
  '--timeout': '-t',
  '--status': '-u',
  '--output': '-o',
  '--event-mask': '-e',
  '--zero': '-z',
  '--mark': '-m',
  '--zone': '-w',
  '--src-nat': '-n',
  '--dst-nat': '-g',
  '--any-nat': '-j',
  '--buffer-size': '-b',
};
const STATUSES = ['ASSURED', 'UNREPLIED', 'SEEN_REPLY', 'FIXED_TIMEOUT', 'EXPECTED', 'UNSET', 'OFFLOAD', 'HW_OFFLOAD'];
const OUTPUTS = ['xml', 'extended', 'timestamp', 'id', 'ktimestamp', 'labels', 'save', 'userspace'];
const EVENTS = ['ALL', 'NEW', 'UPDATES', 'DESTROY'];

export function parseCt(argv: readonly string[]): CtOptions {
  const o: CtOptions = { verb: undefined, table: 'conntrack', family: undefined, output: [], zero: false };
  // Options may stand before -p: their protocol is looked for first, as getopt's merged table does after -p only.
  let i = 0;
  const value = (spelled: string): string => {
    const v = argv[++i];
    if (v === undefined) throw new CtError(`option \`${spelled}' requires an argument`);
    return v;
  };
  const optional = (): string | undefined => {
    const v = argv[i + 1];
    if (v === undefined || v.startsWith('-')) return undefined;
    i++;
    return v;
  };
  for (; i < argv.length; i++) {
    const w = argv[i] as string;
    const verb = VERBS[w];
    if (verb !== undefined) {
      if (o.verb !== undefined) throw new CtError('Invalid commands combination');
      o.verb = verb;
      const t = optional();
      if (t !== undefined) {
        if (t !== 'conntrack' && t !== 'expect' && t !== 'dying' && t !== 'unconfirmed')
          throw new CtError(`unknown type \`${t}'`);
        o.table = t;
      }
      continue;
    }
    core(o, LONG[w] ?? w, w, value, optional);
  }
  return o;
}

function core(
  o: CtOptions,
  opt: string,
  spelled: string,
  value: (s: string) => string,
  optional: () => string | undefined,
): void {
  switch (opt) {
    case '-s':
      o.origSrc = addr(value(spelled));
      return;
    case '-d':
      o.origDst = addr(value(spelled));
      return;
    case '-r':
      o.replySrc = addr(value(spelled));
      return;
    case '-q':
      o.replyDst = addr(value(spelled));
      return;
    case '-p': {
      const v = value(spelled);
      const name = Object.keys(PROTOS).find((n) => n === v.toLowerCase() || String(PROTOS[n]) === v);
      const num = name === undefined ? parseUint(v, 0, 255) : PROTOS[name];
      if (num === undefined) throw new CtError(`\`${v}' unsupported protocol`);
      o.proto = num;
      o.protoName = name ?? v;
      return;
    }
    case '-f': {
      const v = value(spelled);
      if (v !== 'ipv4' && v !== 'ipv6') throw new CtError(`\`${v}' unsupported protocol`);
      o.family = v === 'ipv4' ? 4 : 6;
      return;
    }
    case '-t':
      o.timeout = parseUint(value(spelled), 0, 0xffffffff) ?? 0;
      return;
    case '-u':
      o.status = list(value(spelled), STATUSES);
      return;
    case '-o':
      o.output.push(...list(value(spelled), OUTPUTS, false));
      return;
    case '-e':
      o.events = list(value(spelled), EVENTS);
      return;
    case '-z':
      o.zero = true;
      return;
    case '-b':
      value(spelled);
      return;
    case '-m': {
      const v = value(spelled);
      const [a = '', b] = v.split('/');
      const n = parseUint(a, 0, 0xffffffff);
      const mask = b === undefined ? 0xffffffff : parseUint(b, 0, 0xffffffff);
      if (n === undefined || mask === undefined) throw new CtError(`Bad parameter \`${v}'`);
      o.mark = { value: n, mask };
      return;
    }
    case '-w':
      o.zone = parseUint(value(spelled), 0, 65535) ?? 0;
      return;
    case '-n':
      o.srcNat = optional() ?? true;
      return;
    case '-g':
      o.dstNat = optional() ?? true;
      return;
    case '-j':
      o.anyNat = optional() ?? true;
      return;
    default:
      protocol(o, spelled, value);
  }
}

/** Options that a protocol brings along: known only after -p. */
function protocol(o: CtOptions, w: string, value: (s: string) => string): void {
  const unknown = (): never => {
    throw new CtError(`unknown option \`${w}'`);
  };
  const name = o.protoName ?? '';
  const port = (): number => parseUint(value(w), 0, 0xffffffff) ?? 0;
  if (PORTS.includes(name)) {
    if (w === '--sport' || w === '--orig-port-src') o.origPortSrc = port();
    else if (w === '--dport' || w === '--orig-port-dst') o.origPortDst = port();
    else if (w === '--reply-port-src') o.replyPortSrc = port();
    else if (w === '--reply-port-dst') o.replyPortDst = port();
    else if (w === '--state' && (name === 'tcp' || name === 'sctp')) {
      const v = value(w);
      const states: readonly string[] = name === 'tcp' ? [...TCP_STATES, 'LISTEN'] : SCTP_STATES;
      if (!states.includes(v)) throw new CtError(`Unknown TCP state \`${v}'`.replace('TCP', name.toUpperCase()));
      o.state = v;
    } else if (name === 'sctp' && (w === '--orig-vtag' || w === '--reply-vtag')) value(w);
    else unknown();
  } else if (name === 'icmp' || name === 'icmpv6') {
    if (w === `--${name}-type`) o.icmpType = port();
    else if (w === `--${name}-code`) o.icmpCode = port();
    else if (w === `--${name}-id`) o.icmpId = port();
    else unknown();
  } else unknown();
}

function addr(text: string): string {
  if (!parseCidr(text)) throw new CtError(`Invalid IP address \`${text}'`.replace('IP address', 'address'));
  return text;
}

function list(text: string, all: readonly string[], upper = true): string[] {
  return text.split(',').map((p) => {
    const hit = all.find((x) => x === (upper ? p.toUpperCase() : p.toLowerCase()));
    if (!hit) throw new CtError(`Bad parameter \`${p}'`);
    return hit;
  });
}

const inNet = (net: string | undefined, a: string): boolean => {
  if (net === undefined) return true;
  const c = parseCidr(net);
  return c !== undefined && cidrContains(c, a);
};

/** Whether an entry passes the options as a filter (-L, -D, -E, -U). */
export function passes(o: CtOptions, e: CtEntry, withMark = true): boolean {
  if (o.family !== undefined && e.family !== o.family) return false;
  if (o.proto !== undefined && e.proto !== o.proto) return false;
  if (!inNet(o.origSrc, e.orig.src) || !inNet(o.origDst, e.orig.dst)) return false;
  if (!inNet(o.replySrc, e.reply.src) || !inNet(o.replyDst, e.reply.dst)) return false;
  const same = (want: number | undefined, have: number): boolean => want === undefined || want === have;
  if (!same(o.origPortSrc, e.orig.sport) || !same(o.origPortDst, e.orig.dport)) return false;
  if (!same(o.replyPortSrc, e.reply.sport) || !same(o.replyPortDst, e.reply.dport)) return false;
  if (!same(o.icmpType, e.orig.dport >> 8) || !same(o.icmpCode, e.orig.dport & 255) || !same(o.icmpId, e.orig.sport)) {
    return false;
  }
  if (o.state !== undefined && stateName(e) !== o.state) return false;
  if (o.zone !== undefined && e.zone !== o.zone) return false;
  if (withMark && o.mark && (e.mark & o.mark.mask) >>> 0 !== o.mark.value) return false;
  if (withMark && o.status && !statusPasses(o.status, e)) return false;
  return natPasses(o, e);
}

function statusPasses(status: readonly string[], e: CtEntry): boolean {
  return status.every((s) =>
    s === 'ASSURED'
      ? (e.status & IPS.ASSURED) !== 0
      : s === 'SEEN_REPLY'
        ? (e.status & IPS.SEEN_REPLY) !== 0
        : s === 'UNREPLIED'
          ? (e.status & IPS.SEEN_REPLY) === 0
          : true,
  );
}

/** --src-nat and kin. ICMP entries pass: their id is compared with a type as if both were ports. */
function natPasses(o: CtOptions, e: CtEntry): boolean {
  const icmp = e.proto === 1 || e.proto === 58;
  const is = (want: string | true, changed: boolean, to: string): boolean =>
    want === true ? changed || icmp : changed && to === want;
  const src = e.orig.src !== e.reply.dst || (!icmp && e.orig.sport !== e.reply.dport);
  const dst = e.orig.dst !== e.reply.src || (!icmp && e.orig.dport !== e.reply.sport);
  if (o.srcNat !== undefined && !is(o.srcNat, src, e.reply.dst)) return false;
  if (o.dstNat !== undefined && !is(o.dstNat, dst, e.reply.src)) return false;
  return o.anyNat === undefined || is(o.anyNat, src, e.reply.dst) || is(o.anyNat, dst, e.reply.src);
}
