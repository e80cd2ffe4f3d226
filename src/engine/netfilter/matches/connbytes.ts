import { bang, opt } from '../match-util';
import { defineMatch, extProblem } from '../xt';

interface ConnbytesSpec {
  lo: number;
  hi?: number;
  dir: 'original' | 'reply' | 'both' | '';
  mode: 'packets' | 'bytes' | 'avgpkt' | '';
  not?: boolean;
}

/** xt_connbytes; needs nf_conntrack_acct, without which it never matches. */
export const connbytes = defineMatch<ConnbytesSpec>({
  name: 'connbytes',
  options: [
    opt('connbytes', 1, true, { required: true }),
    opt('connbytes-dir', 1, false, { required: true }),
    opt('connbytes-mode', 1, false, { required: true }),
  ],
  hidden: true,
  needsConntrack: () => true,
  init: () => ({ lo: 0, dir: '', mode: '' }),
  parse(s, o, [arg = ''], not) {
    if (o === 'connbytes') {
      const [a = '', b] = arg.split(':');
      if (!/^\d*$/.test(a) || (b !== undefined && !/^\d*$/.test(b))) {
        throw extProblem(
          'connbytes',
          'bad value for option "--connbytes", or out of range (0-18446744073709551615).\n',
        );
      }
      s.lo = Number(a);
      if (b) s.hi = Number(b);
      if (s.hi !== undefined && s.lo > s.hi) throw extProblem('connbytes', `${s.lo} should be less than ${s.hi}`);
      if (not) s.not = true;
    } else if (o === 'connbytes-dir') {
      if (arg !== 'original' && arg !== 'reply' && arg !== 'both') {
        throw extProblem('connbytes', `Unknown --connbytes-dir \`${arg}'`);
      }
      s.dir = arg;
    } else {
      if (arg !== 'packets' && arg !== 'bytes' && arg !== 'avgpkt') {
        throw extProblem('connbytes', `Unknown --connbytes-mode \`${arg}'`);
      }
      s.mode = arg;
    }
  },
  print: (s) =>
    `${bang(s.not)}--connbytes ${s.lo}${s.hi === undefined ? '' : `:${s.hi}`} --connbytes-mode ${s.mode} --connbytes-dir ${s.dir}`,
  list: (s) =>
    `${bang(s.not)}connbytes ${s.lo}${s.hi === undefined ? '' : `:${s.hi}`} connbytes mode ${s.mode} connbytes direction ${s.dir}`,
  compile(s, env) {
    return (f) => {
      const a = env.ct.conn(f.skb)?.entry.acct;
      if (!a) return false;
      const pick = (i: 0 | 1): number =>
        s.dir === 'original' ? a[i] : s.dir === 'reply' ? (a[i + 2] as number) : a[i] + (a[i + 2] as number);
      const packets = pick(0);
      const bytes = pick(1);
      const what =
        s.mode === 'packets' ? packets : s.mode === 'bytes' ? bytes : packets ? Math.floor(bytes / packets) : 0;
      return (what >= s.lo && (s.hi === undefined || what <= s.hi)) !== (s.not ?? false);
    };
  },
  value: (_s, f, env) => (env.ct.conn(f.skb)?.entry.acct ?? []).join(' '),
});
