import { ALWAYS, bang, opt } from '../match-util';
import { type AnyMatch, defineMatch, paramProblem } from '../xt';

interface IcmpSpec {
  type: number;
  lo: number;
  hi: number;
  not?: boolean;
}
type Names = readonly (readonly [name: string, type: number, lo: number, hi: number])[];

/** Names as `iptables -p icmp -h` lists them (libxt_icmp.h). */
const V4: Names = [
  ['any', 255, 0, 255],
  ['echo-reply', 0, 0, 255],
  ['pong', 0, 0, 255],
  ['destination-unreachable', 3, 0, 255],
  ['network-unreachable', 3, 0, 0],
  ['host-unreachable', 3, 1, 1],
  ['protocol-unreachable', 3, 2, 2],
  ['port-unreachable', 3, 3, 3],
  ['fragmentation-needed', 3, 4, 4],
  ['source-route-failed', 3, 5, 5],
  ['network-unknown', 3, 6, 6],
  ['host-unknown', 3, 7, 7],
  ['network-prohibited', 3, 9, 9],
  ['host-prohibited', 3, 10, 10],
  ['TOS-network-unreachable', 3, 11, 11],
  ['TOS-host-unreachable', 3, 12, 12],
  ['communication-prohibited', 3, 13, 13],
  ['host-precedence-violation', 3, 14, 14],
  ['precedence-cutoff', 3, 15, 15],
  ['source-quench', 4, 0, 255],
  ['redirect', 5, 0, 255],
  ['network-redirect', 5, 0, 0],
  ['host-redirect', 5, 1, 1],
  ['TOS-network-redirect', 5, 2, 2],
  ['TOS-host-redirect', 5, 3, 3],
  ['echo-request', 8, 0, 255],
  ['ping', 8, 0, 255],
  ['router-advertisement', 9, 0, 255],
  ['router-solicitation', 10, 0, 255],
  ['time-exceeded', 11, 0, 255],
  ['ttl-exceeded', 11, 0, 255],
  ['ttl-zero-during-transit', 11, 0, 0],
  ['ttl-zero-during-reassembly', 11, 1, 1],
  ['parameter-problem', 12, 0, 255],
  ['ip-header-bad', 12, 0, 0],
  ['required-option-missing', 12, 1, 1],
  ['timestamp-request', 13, 0, 255],
  ['timestamp-reply', 14, 0, 255],
  ['address-mask-request', 17, 0, 255],
  ['address-mask-reply', 18, 0, 255],
];
const V6: Names = [
  ['destination-unreachable', 1, 0, 255],
  ['no-route', 1, 0, 0],
  ['communication-prohibited', 1, 1, 1],
  ['beyond-scope', 1, 2, 2],
  ['address-unreachable', 1, 3, 3],
  ['port-unreachable', 1, 4, 4],
  ['packet-too-big', 2, 0, 255],
  ['time-exceeded', 3, 0, 255],
  ['ttl-zero-during-transit', 3, 0, 0],
  ['ttl-zero-during-reassembly', 3, 1, 1],
  ['parameter-problem', 4, 0, 255],
  ['echo-request', 128, 0, 255],
  ['echo-reply', 129, 0, 255],
  ['router-solicitation', 133, 0, 255],
  ['router-advertisement', 134, 0, 255],
  ['neighbour-solicitation', 135, 0, 255],
  ['neighbour-advertisement', 136, 0, 255],
  ['redirect', 137, 0, 255],
];

function parseType(text: string, names: Names): [number, number, number] {
  const lower = text.toLowerCase();
  const hits = names.filter(([n]) => n.toLowerCase().startsWith(lower));
  const exact = names.find(([n]) => n.toLowerCase() === lower) ?? (hits.length === 1 ? hits[0] : undefined);
  if (exact) return [exact[1], exact[2], exact[3]];
  if (hits.length > 1) {
    throw paramProblem(`Ambiguous ICMP type \`${text}': \`${hits[0]?.[0]}' or \`${hits[1]?.[0]}'?`);
  }
  const m = /^(\d+)(?:\/(\d+))?$/.exec(text);
  if (!m || Number(m[1]) > 255) throw paramProblem(`Invalid ICMP type \`${text}'`);
  if (m[2] !== undefined && Number(m[2]) > 255) throw paramProblem(`Invalid ICMP code \`${m[2]}'`);
  return m[2] === undefined ? [Number(m[1]), 0, 255] : [Number(m[1]), Number(m[2]), Number(m[2])];
}

const build = (name: string, option: string, word: string, names: Names): AnyMatch =>
  defineMatch<IcmpSpec>({
    name,
    options: [opt(option, 1, true, { required: true })],
    init: () => ({ type: 255, lo: 0, hi: 255 }),
    parse(s, _o, [arg], not) {
      [s.type, s.lo, s.hi] = parseType(arg as string, names);
      if (not) s.not = true;
    },
    print(s) {
      if (s.type === 255) return `${bang(s.not)}--${option.split('|')[0]} any`;
      const code = s.lo === 0 && s.hi === 255 ? '' : `/${s.lo}`;
      return `${bang(s.not)}--${option.split('|')[0]} ${s.type}${code}`;
    },
    list(s, ctx) {
      const known = names.find(([, t, lo, hi]) => t === s.type && lo === s.lo && hi === s.hi);
      if (!ctx.numeric && known) return `${word} ${s.not ? '!' : ''}${known[0]}`;
      const code = s.lo === s.hi ? ` code ${s.lo}` : s.lo !== 0 || s.hi !== 255 ? ` codes ${s.lo}-${s.hi}` : '';
      return `${word}${s.not ? ' !' : ''}type ${s.type}${code}`;
    },
    compile(s) {
      const { type, lo, hi, not } = s;
      if (type === 255 && name === 'icmp') return not ? () => false : ALWAYS;
      return (f) => {
        const l4 = f.packet.l4;
        const hit = l4.kind === 'icmp' && l4.type === type && l4.code >= lo && l4.code <= hi;
        return hit !== (not ?? false);
      };
    },
    value: (_s, f) => (f.packet.l4.kind === 'icmp' ? `type ${f.packet.l4.type} code ${f.packet.l4.code}` : ''),
  });

/** ipt_icmp. */
export const icmp = build('icmp', 'icmp-type', 'icmp', V4);
/** ip6t_icmp6. */
export const icmp6 = build('icmp6', 'icmpv6-type', 'ipv6-icmp', V6);
