import { bang, opt } from '../match-util';
import { defineMatch, type Facts, paramProblem, type XtEnv } from '../xt';

interface AddrtypeSpec {
  src?: { types: string[]; not?: boolean };
  dst?: { types: string[]; not?: boolean };
  limit?: 'in' | 'out';
}

/** RTN_* names in the kernel's order. */
export const TYPES = [
  'UNSPEC',
  'UNICAST',
  'LOCAL',
  'BROADCAST',
  'ANYCAST',
  'MULTICAST',
  'BLACKHOLE',
  'UNREACHABLE',
  'PROHIBIT',
  'THROW',
  'NAT',
  'XRESOLVE',
];

function parseTypes(text: string): string[] {
  const out: string[] = [];
  for (const part of text.split(',')) {
    const hit = TYPES.find((t) => part !== '' && t.startsWith(part.toUpperCase()));
    if (!hit || part.toUpperCase() !== hit) throw paramProblem(`addrtype: bad type "${part}"`);
    out.push(hit);
  }
  return TYPES.filter((t) => out.includes(t));
}

const devOf = (s: AddrtypeSpec, f: Facts): string | undefined =>
  s.limit === 'in' ? f.skb.inDev : s.limit === 'out' ? f.skb.outDev : undefined;

const typeOf = (s: AddrtypeSpec, f: Facts, env: XtEnv, which: 'src' | 'dst'): string => {
  const dev = devOf(s, f);
  const addr = f.packet.ip[which];
  return dev === undefined ? env.net.addrType(env.netns, addr) : env.net.addrType(env.netns, addr, dev);
};

/** xt_addrtype, revision 1. */
export const addrtype = defineMatch<AddrtypeSpec>({
  name: 'addrtype',
  options: [
    opt('src-type'),
    opt('dst-type'),
    opt('limit-iface-in', 0, false, { excludes: ['limit-iface-out'] }),
    opt('limit-iface-out', 0, false, { excludes: ['limit-iface-in'] }),
  ],
  init: () => ({}),
  parse(s, o, args, not) {
    if (o === 'limit-iface-in') s.limit = 'in';
    else if (o === 'limit-iface-out') s.limit = 'out';
    else {
      s[o === 'src-type' ? 'src' : 'dst'] = { types: parseTypes(args[0] as string), ...(not ? { not } : {}) };
    }
  },
  check(_s, given) {
    if (!given.has('src-type') && !given.has('dst-type')) {
      throw paramProblem('addrtype: you must specify --src-type or --dst-type');
    }
  },
  print: (s) =>
    [
      ...(s.src ? [`${bang(s.src.not)}--src-type ${s.src.types.join(',')}`] : []),
      ...(s.dst ? [`${bang(s.dst.not)}--dst-type ${s.dst.types.join(',')}`] : []),
      ...(s.limit ? [`--limit-iface-${s.limit}`] : []),
    ].join(' '),
  list: (s) =>
    [
      'ADDRTYPE match',
      ...(s.src ? [`src-type ${s.src.not ? '!' : ''}${s.src.types.join(',')}`] : []),
      ...(s.dst ? [`dst-type ${s.dst.not ? '!' : ''}${s.dst.types.join(',')}`] : []),
      ...(s.limit ? [`limit-${s.limit}`] : []),
    ].join(' '),
  compile(s, env) {
    return (f) => {
      if (s.src && s.src.types.includes(typeOf(s, f, env, 'src')) === (s.src.not ?? false)) return false;
      return !(s.dst && s.dst.types.includes(typeOf(s, f, env, 'dst')) === (s.dst.not ?? false));
    };
  },
  value: (s, f, env) =>
    [
      ...(s.src ? [`src ${f.packet.ip.src} ${typeOf(s, f, env, 'src')}`] : []),
      ...(s.dst ? [`dst ${f.packet.ip.dst} ${typeOf(s, f, env, 'dst')}`] : []),
    ].join(', '),
});
