import { cidrContains, ipFamily, parseCidr } from '../../../engine/base';
import type { Captured, Packet } from '../../../engine/net';
import { servicePort } from '../../format/services';
import { wire } from './wire';

/** Whether a captured frame is wanted. */
export type Filter = (c: Captured) => boolean;

/** What the parser says of an expression that it cannot take. */
export class FilterError extends Error {}

const syntax = (): FilterError => new FilterError("can't parse filter expression: syntax error");

type Dir = 'src' | 'dst' | 'either' | 'both';
type Proto = 'tcp' | 'udp' | 'icmp' | 'ip' | 'ip6' | 'arp' | 'sctp';
const PROTOS: readonly string[] = ['tcp', 'udp', 'icmp', 'ip', 'ip6', 'arp', 'sctp'];
const NUMBERS: Readonly<Record<string, number>> = {
  tcpflags: 13,
  icmptype: 0,
  icmpcode: 1,
  'tcp-fin': 1,
  'tcp-syn': 2,
  'tcp-rst': 4,
  'tcp-push': 8,
  'tcp-ack': 16,
  'tcp-urg': 32,
  'icmp-echoreply': 0,
  'icmp-unreach': 3,
  'icmp-redirect': 5,
  'icmp-echo': 8,
  'icmp-timxceed': 11,
};

interface Qualifier {
  readonly proto?: Proto;
  readonly dir: Dir;
  readonly type: 'host' | 'net' | 'port' | 'portrange';
}

/** Compiles a pcap-filter(7) expression; `resolve` looks a host name up. Throws FilterError. */
export function compileFilter(text: string, resolve: (name: string) => readonly string[]): Filter {
  const tokens = text.match(/&&|\|\||<<|>>|[<>!=]=|[()[\]:&|!<>=+*/^-](?![\w.])|[()[\]!]|[\w][\w.:/-]*|\S/g) ?? [];
  if (tokens.length === 0) return () => true;
  const p = new Parser(tokens, resolve);
  const f = p.or();
  if (!p.done) throw syntax();
  return f;
}

class Parser {
  private i = 0;
  /** The qualifiers that a bare value takes over: `port 80 or 443`. */
  private last: Qualifier | undefined;

  constructor(
    private readonly tokens: readonly string[],
    private readonly resolve: (name: string) => readonly string[],
  ) {}

  get done(): boolean {
    return this.i >= this.tokens.length;
  }
  private get look(): string | undefined {
    return this.tokens[this.i];
  }
  private take(): string {
    const t = this.tokens[this.i++];
    if (t === undefined) throw syntax();
    return t;
  }
  private eat(...words: string[]): boolean {
    if (this.look === undefined || !words.includes(this.look)) return false;
    this.i++;
    return true;
  }

  or(): Filter {
    let left = this.and();
    while (this.eat('or', '||')) {
      const [a, b] = [left, this.and()];
      left = (c) => a(c) || b(c);
    }
    return left;
  }

  private and(): Filter {
    let left = this.not();
    while (this.eat('and', '&&')) {
      const [a, b] = [left, this.not()];
      left = (c) => a(c) && b(c);
    }
    return left;
  }

  private not(): Filter {
    if (this.eat('not', '!')) {
      const f = this.not();
      return (c) => !f(c);
    }
    if (this.look === '(' && !this.isArithmetic()) {
      this.take();
      const f = this.or();
      if (!this.eat(')')) throw syntax();
      return f;
    }
    return this.isArithmetic() ? this.relation() : this.primitive();
  }

  /** Whether a comparison of values starts here: an accessor, a number or a parenthesis around one. */
  private isArithmetic(): boolean {
    let k = this.i;
    while (this.tokens[k] === '(') k++;
    const t = this.tokens[k];
    if (t === undefined) return false;
    if (this.tokens[k + 1] === '[') return true;
    if (t === 'len') return true;
    return (
      /^(?:0x[\da-f]+|\d+)$/i.test(t) &&
      ['=', '==', '!=', '<', '>', '<=', '>=', '&', '|', '+'].includes(this.tokens[k + 1] ?? '')
    );
  }

  private relation(): Filter {
    const a = this.sum();
    const op = this.take();
    const b = this.sum();
    const tests: Readonly<Record<string, (x: number, y: number) => boolean>> = {
      '=': (x, y) => x === y,
      '==': (x, y) => x === y,
      '!=': (x, y) => x !== y,
      '<': (x, y) => x < y,
      '>': (x, y) => x > y,
      '<=': (x, y) => x <= y,
      '>=': (x, y) => x >= y,
    };
    const test = tests[op];
    if (!test) throw syntax();
    return (c) => {
      const [x, y] = [a(c), b(c)];
      return x !== undefined && y !== undefined && test(x, y);
    };
  }

  private sum(): (c: Captured) => number | undefined {
    let left = this.value();
    for (;;) {
      const op = this.look;
      if (op !== '&' && op !== '|' && op !== '+' && op !== '-') return left;
      this.take();
      const [a, b] = [left, this.value()];
      left = (c) => {
        const [x, y] = [a(c), b(c)];
        if (x === undefined || y === undefined) return undefined;
        return op === '&' ? x & y : op === '|' ? x | y : op === '+' ? x + y : x - y;
      };
    }
  }

  private value(): (c: Captured) => number | undefined {
    if (this.eat('(')) {
      const v = this.sum();
      if (!this.eat(')')) throw syntax();
      return v;
    }
    const word = this.take();
    if (this.look === '[') return this.accessor(word);
    if (word === 'len') return (c) => wire(c.packet, true).length + 14;
    const n = NUMBERS[word] ?? Number(word);
    if (Number.isNaN(n)) throw syntax();
    return () => n;
  }

  /** `proto[offset:size]`. */
  private accessor(proto: string): (c: Captured) => number | undefined {
    if (!PROTOS.includes(proto)) throw syntax();
    this.take();
    const first = this.take();
    const [offset = '', width = ''] = first.split(':');
    let size = width === '' ? 1 : Number(width);
    if (this.eat(':')) size = Number(this.take());
    if (!this.eat(']')) throw syntax();
    const at = NUMBERS[offset] ?? Number(offset);
    return (c) => {
      if (!protoIs(c.packet, proto as Proto)) return undefined;
      const bytes = wire(c.packet, true).slice(proto === 'ip' ? 0 : 20);
      return bytes.slice(at, at + size).reduce((n, b) => n * 256 + b, 0);
    };
  }

  private primitive(): Filter {
    let proto: Proto | undefined;
    let dir: Dir | undefined;
    let type: Qualifier['type'] | undefined;
    for (;;) {
      const w = this.look;
      if (w === undefined) break;
      if (proto === undefined && type === undefined && dir === undefined && PROTOS.includes(w))
        proto = this.take() as Proto;
      else if ((w === 'src' || w === 'dst') && dir === undefined) dir = this.direction();
      else if (['host', 'net', 'port', 'portrange'].includes(w) && type === undefined)
        type = this.take() as Qualifier['type'];
      else break;
    }
    const next = this.look;
    const ends = next === undefined || ['and', 'or', '&&', '||', ')'].includes(next);
    if (proto !== undefined && dir === undefined && type === undefined) {
      if (!ends) throw syntax();
      return (c) => protoIs(c.packet, proto);
    }
    if (dir === undefined && type === undefined) return this.single();
    if (ends) throw syntax();
    const q: Qualifier = { ...(proto === undefined ? {} : { proto }), dir: dir ?? 'either', type: type ?? 'host' };
    this.last = q;
    return this.match(q, this.take());
  }

  private direction(): Dir {
    const first = this.take() as 'src' | 'dst';
    const joined = this.look;
    if ((joined === 'or' || joined === 'and') && ['src', 'dst'].includes(this.tokens[this.i + 1] ?? '')) {
      this.i += 2;
      return joined === 'or' ? 'either' : 'both';
    }
    return first;
  }

  /** Words that stand alone, and values that take over the qualifiers before them. */
  private single(): Filter {
    const w = this.take();
    switch (w) {
      case 'broadcast':
        return (c) => c.dstMac === 'ff:ff:ff:ff:ff:ff';
      case 'multicast':
        return (c) => (Number.parseInt(c.dstMac.slice(0, 2), 16) & 1) === 1;
      case 'inbound':
        return (c) => c.dir === 'in';
      case 'outbound':
        return (c) => c.dir === 'out';
      case 'less':
      case 'greater': {
        const n = Number(this.take());
        return (c) => (w === 'less' ? wire(c.packet, true).length + 14 <= n : wire(c.packet, true).length + 14 >= n);
      }
      case 'ether': {
        const dir = this.look === 'src' || this.look === 'dst' ? this.take() : 'either';
        this.eat('host');
        const mac = this.take();
        return (c) => (dir !== 'dst' && c.srcMac === mac) || (dir !== 'src' && c.dstMac === mac);
      }
      default: {
        const address = ipFamily(w) !== undefined;
        if (this.last && (this.last.type !== 'host' || address || /^[a-z]/i.test(w))) return this.match(this.last, w);
        if (address) return this.match({ dir: 'either', type: 'host' }, w);
        throw syntax();
      }
    }
  }

  private match(q: Qualifier, value: string): Filter {
    const proto = q.proto;
    const is = (c: Captured): boolean => proto === undefined || protoIs(c.packet, proto);
    const sides = <T>(src: T, dst: T, test: (x: T) => boolean): boolean =>
      q.dir === 'src'
        ? test(src)
        : q.dir === 'dst'
          ? test(dst)
          : q.dir === 'both'
            ? test(src) && test(dst)
            : test(src) || test(dst);
    if (q.type === 'host' || q.type === 'net') {
      const net = q.type === 'net' ? parseCidr(/\//.test(value) ? value : fullNet(value)) : undefined;
      if (q.type === 'net' && !net) throw new FilterError(`unknown network '${value}'`);
      const ips = net ? [] : ipFamily(value) === undefined ? this.resolve(value) : [value];
      if (!net && ips.length === 0) throw new FilterError(`unknown host '${value}'`);
      return (c) =>
        is(c) && sides(c.packet.ip.src, c.packet.ip.dst, (ip) => (net ? cidrContains(net, ip) : ips.includes(ip)));
    }
    const [from = '', to = from] = q.type === 'portrange' ? value.split('-') : [value];
    const [low, high] = [portOf(from, proto), portOf(to, proto)];
    return (c) => {
      const { l4 } = c.packet;
      if (!is(c) || (l4.kind !== 'tcp' && l4.kind !== 'udp')) return false;
      return sides(l4.sport, l4.dport, (p) => p >= low && p <= high);
    };
  }
}

/** `10.1` is the network 10.1.0.0/16. */
function fullNet(value: string): string {
  const parts = value.split('.');
  return parts.length === 4 ? `${value}/32` : `${[...parts, '0', '0', '0'].slice(0, 4).join('.')}/${parts.length * 8}`;
}

function portOf(text: string, proto: Proto | undefined): number {
  if (/^\d+$/.test(text)) {
    const n = Number(text);
    if (n > 65_535) throw new FilterError(`illegal port number ${text} > 65535`);
    return n;
  }
  const port = servicePort(text, proto === 'udp' ? 'udp' : 'tcp') ?? servicePort(text, 'udp');
  if (port === undefined) throw new FilterError(`unknown port '${text}'`);
  return port;
}

function protoIs(p: Packet, proto: Proto): boolean {
  switch (proto) {
    case 'ip':
      return p.ip.family === 4;
    case 'ip6':
      return p.ip.family === 6;
    case 'arp':
      return false;
    case 'sctp':
      return p.ip.proto === 132;
    default:
      return p.l4.kind === proto;
  }
}
