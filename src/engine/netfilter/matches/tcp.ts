import { parsePortRange, parseUint, portText } from '../args';
import { bang, opt, xor } from '../match-util';
import { defineMatch, type Facts, type PrintCtx, paramProblem, type Test } from '../xt';

export interface PortSpec {
  lo: number;
  hi: number;
  not?: boolean;
}
interface TcpSpec {
  sport?: PortSpec;
  dport?: PortSpec;
  flags?: { mask: number; cmp: number; not?: boolean };
  option?: { num: number; not?: boolean };
}

const FLAG_NAMES: readonly (readonly [string, number])[] = [
  ['FIN', 1],
  ['SYN', 2],
  ['RST', 4],
  ['PSH', 8],
  ['ACK', 16],
  ['URG', 32],
];

export const portSave = (name: string, p: PortSpec | undefined): string[] =>
  p === undefined || (p.lo === 0 && p.hi === 65535 && !p.not)
    ? []
    : [`${bang(p.not)}--${name} ${p.lo === p.hi ? p.lo : `${p.lo}:${p.hi}`}`];

/** `spt:80`, `dpts:1:2`, `dpt:!80`. */
export const portList = (name: string, p: PortSpec | undefined, proto: number, ctx: PrintCtx): string[] => {
  if (p === undefined || (p.lo === 0 && p.hi === 65535 && !p.not)) return [];
  const inv = p.not ? '!' : '';
  if (p.lo === p.hi) return [`${name}:${inv}${portText(p.lo, proto, ctx.numeric)}`];
  return [`${name}s:${inv}${portText(p.lo, proto, ctx.numeric)}:${portText(p.hi, proto, ctx.numeric)}`];
};

export const portTest = (which: 'sport' | 'dport', p: PortSpec | undefined): Test | undefined => {
  if (p === undefined) return undefined;
  const { lo, hi } = p;
  return xor((f) => f[which] >= lo && f[which] <= hi, p.not);
};

function flagMask(text: string): number {
  let mask = 0;
  for (const part of text.split(',')) {
    const upper = part.toUpperCase();
    if (upper === 'ALL') mask |= 63;
    else if (upper === 'NONE') continue;
    else {
      const f = FLAG_NAMES.find(([name]) => name === upper);
      if (!f) throw paramProblem(`Unknown TCP flag \`${part}'`);
      mask |= f[1];
    }
  }
  return mask;
}

export const flagText = (mask: number): string =>
  mask === 0
    ? 'NONE'
    : FLAG_NAMES.filter(([, bit]) => (mask & bit) !== 0)
        .map(([name]) => name)
        .join(',');

const hex2 = (n: number): string => `0x${n.toString(16).toUpperCase().padStart(2, '0')}`;

/** xt_tcp. */
export const tcp = defineMatch<TcpSpec>({
  name: 'tcp',
  options: [
    opt('source-port|sport'),
    opt('destination-port|dport'),
    opt('tcp-flags', 2),
    opt('syn', 0),
    opt('tcp-option'),
  ],
  init: () => ({}),
  parse(s, o, args, not) {
    const inv = not ? { not } : {};
    const arg = args[0] as string;
    if (o === 'source-port') {
      const [lo, hi] = parsePortRange(arg, 6);
      s.sport = { lo, hi, ...inv };
    } else if (o === 'destination-port') {
      const [lo, hi] = parsePortRange(arg, 6);
      s.dport = { lo, hi, ...inv };
    } else if (o === 'tcp-flags') {
      s.flags = { mask: flagMask(arg), cmp: flagMask(args[1] as string), ...inv };
    } else if (o === 'syn') {
      s.flags = { mask: 0x17, cmp: 0x02, ...inv };
    } else {
      const num = parseUint(arg, 1, 255);
      if (num === undefined) throw paramProblem(`Bad TCP option \`${arg}'`);
      s.option = { num, ...inv };
    }
  },
  print: (s) =>
    [
      ...portSave('sport', s.sport),
      ...portSave('dport', s.dport),
      ...(s.option ? [`${bang(s.option.not)}--tcp-option ${s.option.num}`] : []),
      ...(s.flags ? [`${bang(s.flags.not)}--tcp-flags ${flagText(s.flags.mask)} ${flagText(s.flags.cmp)}`] : []),
    ].join(' '),
  list: (s, ctx) =>
    [
      'tcp',
      ...portList('spt', s.sport, 6, ctx),
      ...portList('dpt', s.dport, 6, ctx),
      ...(s.option ? [`option=${s.option.not ? '!' : ''}${s.option.num}`] : []),
      ...(s.flags
        ? [
            `flags:${s.flags.not ? '!' : ''}${
              ctx.numeric
                ? `${hex2(s.flags.mask)}/${hex2(s.flags.cmp)}`
                : `${flagText(s.flags.mask)}/${flagText(s.flags.cmp)}`
            }`,
          ]
        : []),
    ].join(' '),
  compile(s) {
    const tests: Test[] = [];
    const sp = portTest('sport', s.sport);
    const dp = portTest('dport', s.dport);
    if (sp) tests.push(sp);
    if (dp) tests.push(dp);
    if (s.flags) {
      const { mask, cmp, not } = s.flags;
      tests.push((f) => ((flagsOf(f) & mask) === cmp) !== (not ?? false));
    }
    if (s.option) {
      const { num, not } = s.option;
      tests.push((f) => hasOption(f, num) !== (not ?? false));
    }
    if (tests.length === 1) return tests[0] as Test;
    return (f) => {
      if (f.packet.l4.kind !== 'tcp') return false;
      for (const t of tests) if (!t(f)) return false;
      return true;
    };
  },
  value(s, f) {
    const out: string[] = [];
    if (s.sport) out.push(`sport ${f.sport}`);
    if (s.dport) out.push(`dport ${f.dport}`);
    if (s.flags) out.push(flagText(flagsOf(f)));
    return out.join(' ');
  },
});

const flagsOf = (f: Facts): number => (f.packet.l4.kind === 'tcp' ? f.packet.l4.flags : 0);

/** Kinds of TCP options by number: 2 MSS, 3 window scale, 4 SACK permitted, 8 timestamps. */
function hasOption(f: Facts, num: number): boolean {
  const o = f.packet.l4.kind === 'tcp' ? f.packet.l4.options : undefined;
  if (!o) return false;
  if (num === 2) return o.mss !== undefined;
  if (num === 3) return o.wscale !== undefined;
  if (num === 4) return o.sackOk === true;
  return num === 8 && o.tsVal !== undefined;
}
