import { hex, parseUint } from '../args';
import { opt } from '../match-util';
import { CONTINUE, defineTarget, extProblem } from '../xt';
import { markOptions, markVerb, parseMarkTarget } from './mark';

interface ConnmarkTarget {
  mode: 'set' | 'save' | 'restore' | '';
  ctmark: number;
  ctmask: number;
  nfmask: number;
}
const ALL = 0xffffffff;

/** xt_CONNMARK. */
export const connmark = defineTarget<ConnmarkTarget>({
  name: 'CONNMARK',
  options: [
    ...markOptions,
    opt('save-mark', 0, false),
    opt('restore-mark', 0, false),
    opt('nfmask', 1, false),
    opt('ctmask', 1, false),
    opt('mask', 1, false),
  ],
  needsConntrack: () => true,
  init: () => ({ mode: '', ctmark: 0, ctmask: ALL, nfmask: ALL }),
  parse(s, o, [arg = '']) {
    if (o === 'save-mark') s.mode = 'save';
    else if (o === 'restore-mark') s.mode = 'restore';
    else if (o === 'nfmask' || o === 'ctmask' || o === 'mask') {
      const n = parseUint(arg, 0, ALL);
      if (n === undefined)
        throw extProblem('CONNMARK', `bad value for option "--${o}", or out of range (0-4294967295).\n`);
      if (o !== 'nfmask') s.ctmask = n;
      if (o !== 'ctmask') s.nfmask = n;
    } else {
      const m = parseMarkTarget('CONNMARK', o, arg);
      s.mode = 'set';
      s.ctmark = m.mark;
      s.ctmask = m.mask;
    }
  },
  check(s) {
    if (s.mode === '') throw extProblem('CONNMARK', 'No operation specified');
  },
  print: (s) =>
    s.mode === 'set'
      ? `--set-xmark ${hex(s.ctmark)}/${hex(s.ctmask)}`
      : `--${s.mode}-mark --nfmask ${hex(s.nfmask)} --ctmask ${hex(s.ctmask)}`,
  list(s) {
    if (s.mode === 'set') return `CONNMARK ${markVerb({ mark: s.ctmark, mask: s.ctmask })}`;
    if (s.nfmask === ALL && s.ctmask === ALL) return `CONNMARK ${s.mode}`;
    if (s.nfmask === s.ctmask) return `CONNMARK ${s.mode} mask ${hex(s.nfmask)}`;
    return s.mode === 'save'
      ? `CONNMARK save nfmask ${hex(s.nfmask)} ctmask ~${hex(s.ctmask)}`
      : `CONNMARK restore ctmask ${hex(s.ctmask)} nfmask ~${hex(s.nfmask)}`;
  },
  run(s, f, ctx) {
    const c = ctx.env.ct.conn(f.skb);
    if (!c) return CONTINUE;
    const ctMark = c.entry.mark;
    if (s.mode === 'set') ctx.env.ct.setMark(f.skb, ((ctMark & ~s.ctmask) ^ s.ctmark) >>> 0);
    else if (s.mode === 'save') {
      ctx.env.ct.setMark(f.skb, ((ctMark & ~s.ctmask) ^ (f.skb.mark & s.nfmask)) >>> 0);
    } else ctx.setMark(f, ((f.skb.mark & ~s.nfmask) ^ (ctMark & s.ctmask)) >>> 0);
    return CONTINUE;
  },
});
