import type { PacketLike, TupleFacts } from '../engine/trace/kinds';

/** A whole number with thousands commas, the same in both languages. */
export function num(n: number): string {
  const digits = String(Math.abs(Math.trunc(n)));
  let out = '';
  for (let i = 0; i < digits.length; i++) {
    if (i > 0 && (digits.length - i) % 3 === 0) out += ',';
    out += digits[i];
  }
  return n < 0 ? `-${out}` : out;
}

/** `0x4000` as iptables prints marks. */
export const hex = (n: number): string => `0x${(n >>> 0).toString(16)}`;

/** Address with port as written: `10.96.10.10:80`, `[fd00::1]:80`; the address alone when there is no port. */
export function endpoint(ip: string, port?: number): string {
  if (port === undefined) return ip;
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

/** A field of the transport header; which there are depends on its kind. */
export const l4Field = (p: PacketLike, name: string): unknown => (p.l4 as { readonly [key: string]: unknown })[name];
const numberOf = (v: unknown): number | undefined => (typeof v === 'number' ? v : undefined);

export const sourceOf = (p: PacketLike): string => endpoint(p.ip.src, numberOf(l4Field(p, 'sport')));
export const destinationOf = (p: PacketLike): string => endpoint(p.ip.dst, numberOf(l4Field(p, 'dport')));

const PROTOCOLS: Readonly<Record<number, string>> = { 1: 'icmp', 6: 'tcp', 17: 'udp', 58: 'icmpv6', 132: 'sctp' };
export const protocolName = (n: number): string => PROTOCOLS[n] ?? String(n);

const FLAGS: readonly (readonly [number, string])[] = [
  [2, 'SYN'],
  [1, 'FIN'],
  [4, 'RST'],
  [8, 'PSH'],
  [16, 'ACK'],
  [32, 'URG'],
  [64, 'ECE'],
  [128, 'CWR'],
];

/** TCP flags by name, SYN first: `SYN, ACK`. */
export function flagNames(flags: number): string {
  return FLAGS.filter(([bit]) => (flags & bit) !== 0)
    .map(([, name]) => name)
    .join(', ');
}

/** ICMP type and code by the name that iptables uses, as far as the product meets them. */
export function icmpName(type: number, code: number): string {
  if (type === 8) return 'echo-request';
  if (type === 0) return 'echo-reply';
  if (type === 11) return 'time-exceeded';
  if (type === 3) {
    const codes: Readonly<Record<number, string>> = {
      0: 'network-unreachable',
      1: 'host-unreachable',
      2: 'protocol-unreachable',
      3: 'port-unreachable',
      4: 'fragmentation-needed',
      9: 'network-prohibited',
      10: 'host-prohibited',
      13: 'communication-prohibited',
    };
    return codes[code] ?? `destination-unreachable ${code}`;
  }
  return `${type}/${code}`;
}

interface PayloadLike {
  readonly len?: unknown;
  readonly text?: unknown;
  readonly app?: unknown;
}

/** What a packet carries, in the words of its own protocol: `TCP SYN`, `GET /`, `UDP`, `ICMP port-unreachable`. */
export function packetKind(p: PacketLike): string {
  const payload = l4Field(p, 'payload') as PayloadLike | undefined;
  switch (p.l4.kind) {
    case 'tcp': {
      const text = typeof payload?.text === 'string' ? payload.text : '';
      const http = /^(GET|HEAD|POST|PUT|DELETE) \S+|^HTTP\/[\d.]+ \d+[^\r\n]*/.exec(text);
      if (http) return http[0];
      const flags = flagNames(numberOf(l4Field(p, 'flags')) ?? 0);
      const len = numberOf(payload?.len) ?? 0;
      return len > 0 ? `TCP ${flags}, ${num(len)} bytes` : `TCP ${flags}`;
    }
    case 'icmp':
      return `ICMP ${icmpName(numberOf(l4Field(p, 'type')) ?? 0, numberOf(l4Field(p, 'code')) ?? 0)}`;
    case 'udp':
      return payload?.app !== undefined && payload.app !== null ? 'UDP, DNS' : 'UDP';
    default:
      return protocolName(p.ip.proto);
  }
}

/** A draw of the statistic match beside its threshold; cut, not rounded, and only as long as it takes to tell which is smaller. */
export function drawText(value: number, below: number): { readonly drew: string; readonly needs: string } {
  const one = 2147483648;
  for (let digits = 3; digits < 9; digits++) {
    const drew = cut(value, one, digits);
    const needs = cut(below, one, digits);
    if (drew !== needs) return { drew, needs: needs.replace(/0+$/, '').replace(/\.$/, '') };
  }
  return { drew: cut(value, one, 10), needs: cut(below, one, 10) };
}

/** value / one to a number of digits, cut off, with integers only. */
function cut(value: number, one: number, digits: number): string {
  let rest = value % one;
  let out = `${Math.floor(value / one)}.`;
  for (let i = 0; i < digits; i++) {
    rest *= 10;
    out += String(Math.floor(rest / one));
    rest %= one;
  }
  return out;
}

/** Simulated time: seconds and microseconds, `12.000 131 s`. */
export function clock(us: number): string {
  const s = Math.floor(us / 1_000_000);
  const rest = String(us % 1_000_000).padStart(6, '0');
  return `${num(s)}.${rest.slice(0, 3)} ${rest.slice(3)} s`;
}

/** A duration in seconds, as short as it goes: `432,000 s`, `0.2 s`. */
export function seconds(us: number): string {
  const whole = Math.floor(us / 1_000_000);
  const rest = String(us % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${num(whole)}${rest === '' ? '' : `.${rest}`} s`;
}

/** One direction of an entry: `10.244.1.100:20050 -> 10.96.10.10:80`. */
export const tupleText = (t: TupleFacts): string => `${endpoint(t.src, t.sport)} -> ${endpoint(t.dst, t.dport)}`;

/** A namespace by the name people use: the pod's or the node's. */
export function netnsName(netns: string | undefined): string {
  if (netns === undefined) return '';
  const slash = netns.indexOf('/');
  if (slash < 0) return netns;
  const pod = netns.slice(slash + 1);
  const dot = pod.indexOf('.');
  return dot < 0 ? pod : pod.slice(dot + 1);
}

/** A device without its namespace: `node-1:cni0` is `cni0`. */
export function deviceName(dev: string | undefined): string {
  if (dev === undefined) return '';
  const colon = dev.lastIndexOf(':');
  return colon < 0 ? dev : dev.slice(colon + 1);
}

export interface FieldChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** Changed header fields as they are told: address and port of one side as one. */
export function joinedChanges(fields: readonly FieldChange[]): FieldChange[] {
  const find = (name: string): FieldChange | undefined => fields.find((f) => f.field === name);
  const out: FieldChange[] = [];
  for (const f of fields) {
    const port = f.field === 'dst' ? find('dport') : f.field === 'src' ? find('sport') : undefined;
    if ((f.field === 'dport' && find('dst')) || (f.field === 'sport' && find('src'))) continue;
    out.push(
      port
        ? {
            field: f.field,
            before: endpoint(f.before, Number(port.before)),
            after: endpoint(f.after, Number(port.after)),
          }
        : f,
    );
  }
  return out;
}

/** A route by its record's key (`netns|dst/prefix|metric|dev`): `10.244.3.0/24 dev eth0`, `default dev eth0`. */
export function routeText(key: string): string {
  const [, dst = '', , dev = ''] = key.split('|');
  const to = /^(0\.0\.0\.0|::)\/0$/.test(dst) ? 'default' : dst;
  return dev === '' ? to : `${to} dev ${deviceName(dev)}`;
}
