import { parseUint } from '../args';
import { bang, opt } from '../match-util';
import { type AnyMatch, defineMatch, extProblem } from '../xt';

interface TtlSpec {
  mode: 'eq' | 'lt' | 'gt';
  value: number;
  not?: boolean;
}

const build = (name: 'ttl' | 'hl', title: string): AnyMatch =>
  defineMatch<TtlSpec>({
    name,
    options: [opt(`${name}-eq`), opt(`${name}-lt`, 1, false), opt(`${name}-gt`, 1, false)],
    init: () => ({ mode: 'eq', value: 0 }),
    parse(s, o, [arg = ''], not) {
      const n = parseUint(arg, 0, 255);
      if (n === undefined) throw extProblem(name, `bad value for option "--${o}", or out of range (0-255).\n`);
      s.mode = o.slice(name.length + 1) as TtlSpec['mode'];
      s.value = n;
      if (not) s.not = true;
    },
    check(_s, given) {
      if (given.size === 0) {
        throw extProblem(name, `You must specify one of \`--${name}-eq', \`--${name}-lt', \`--${name}-gt`);
      }
    },
    print: (s) => `${bang(s.not)}--${name}-${s.mode} ${s.value}`,
    list: (s) =>
      `${title} match ${title} ${s.mode === 'eq' ? (s.not ? '!=' : '==') : s.mode === 'lt' ? '<' : '>'} ${s.value}`,
    compile(s) {
      const { mode, value } = s;
      const inv = s.not ?? false;
      if (mode === 'eq') return (f) => (f.packet.ip.ttl === value) !== inv;
      return mode === 'lt' ? (f) => f.packet.ip.ttl < value : (f) => f.packet.ip.ttl > value;
    },
    value: (_s, f) => String(f.packet.ip.ttl),
  });

/** xt_hl: the IPv4 match and its IPv6 twin. */
export const ttl = build('ttl', 'TTL');
export const hl = build('hl', 'HL');
