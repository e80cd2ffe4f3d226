import { parseUint } from '../args';
import { opt } from '../match-util';
import { CONTINUE, defineTarget, extProblem, paramProblem } from '../xt';

interface CtTarget {
  notrack?: boolean;
  zone?: number;
}

/** xt_CT: notrack and zones. Helpers and timeouts are refused: no expectations are modelled. */
export const ct = defineTarget<CtTarget>({
  name: 'CT',
  options: [
    opt('notrack', 0, false),
    opt('zone', 1, false),
    opt('helper', 1, false),
    opt('timeout', 1, false),
    opt('ctevents', 1, false),
    opt('expevents', 1, false),
  ],
  tables: ['raw'],
  needsConntrack: (s) => !s.notrack,
  init: () => ({}),
  parse(s, o, [arg = '']) {
    if (o === 'notrack') s.notrack = true;
    else if (o === 'zone') {
      const n = parseUint(arg, 0, 65535);
      if (n === undefined) throw extProblem('CT', 'Cannot parse zone value');
      s.zone = n;
    } else throw paramProblem(`CT: --${o} is unsupported`);
  },
  print: (s) => [...(s.notrack ? ['--notrack'] : []), ...(s.zone ? [`--zone ${s.zone}`] : [])].join(' '),
  list: (s) => ['CT', ...(s.notrack ? ['notrack'] : []), ...(s.zone ? [`zone ${s.zone}`] : [])].join(' '),
  run(s, f, ctx) {
    if (s.notrack) ctx.env.ct.notrack(f.skb);
    else if (s.zone) ctx.env.ct.setZone(f.skb, s.zone);
    return CONTINUE;
  },
});

/** NOTRACK, an alias that -S keeps and -L lists as CT. */
export const notrack = defineTarget<{ alias: true }>({
  name: 'NOTRACK',
  options: [],
  tables: ['raw'],
  init: () => ({ alias: true }),
  parse: () => undefined,
  print: () => '',
  list: () => 'NOTRACK',
  listName: 'CT',
  run(_s, f, ctx) {
    ctx.env.ct.notrack(f.skb);
    return CONTINUE;
  },
});
