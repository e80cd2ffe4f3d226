import { hex } from '../args';
import { bang, opt } from '../match-util';
import { defineMatch } from '../xt';
import { type MarkSpec, markText, parseMarkMask } from './mark';

/** xt_connmark: the connection's mark; no connection, no match either way. */
export const connmark = defineMatch<MarkSpec>({
  name: 'connmark',
  options: [opt('mark', 1, true, { required: true })],
  hidden: true,
  needsConntrack: () => true,
  init: () => ({ mark: 0, mask: 0xffffffff }),
  parse(s, _o, [arg], not) {
    Object.assign(s, parseMarkMask('connmark', 'mark', arg as string));
    if (not) s.not = true;
  },
  print: (s) => `${bang(s.not)}--mark ${markText(s)}`,
  list: (s) => `CONNMARK match ${bang(s.not)}${markText(s)}`,
  compile(s, env) {
    const { mask, not } = s;
    const want = s.mark >>> 0;
    return (f) => {
      const c = env.ct.conn(f.skb);
      return c !== undefined && ((c.entry.mark & mask) >>> 0 === want) !== (not ?? false);
    };
  },
  value: (_s, f, env) => {
    const c = env.ct.conn(f.skb);
    return c ? hex(c.entry.mark) : '';
  },
});
