import type { FactsOf } from '../../engine/trace';
import { deviceName, endpoint, type Lang, netnsName, tell, whereOf } from '../../explain';
import type { LessonStore } from '../../store/lesson';
import { context, pinnedThing } from '../../store/lesson';
import { access } from '../model';
import { words } from './words';

type SlotState = NonNullable<LessonStore['state']>['slots'][string];
type Pin = SlotState['pin'];

/** A pin in two lines: where it was made, and the thing itself. */
export function pinText(pin: Pin, lang: Lang, stepOf: (seq: number) => number): { where: string; thing: string } {
  const w = words(lang);
  const comma = lang === 'zh' ? '，' : ', ';
  const ctx = context();
  const p = ctx && pinnedThing(pin, ctx);
  if (!p || p.kind === 'nothing') return { where: w.stepN(stepOf(pin.seq)), thing: '' };
  if (p.kind === 'output') return { where: w.printed, thing: p.line };
  if (p.kind === 'entry') {
    const { orig, reply, node } = p.entry;
    return {
      where: [w.stepN(stepOf(p.seq)), w.rowOf(node)].join(comma),
      thing: `dst=${orig.dst} … src=${reply.src}`,
    };
  }
  const e = p.event;
  const step = w.stepN(stepOf(e.seq));
  const { spans } = access();
  switch (e.kind) {
    case 'nf.rule': {
      const f = e.facts as unknown as FactsOf<'nf.rule'>;
      const to = /--to-destination (\S+)/.exec(f.text)?.[1];
      return { where: [step, w.ruleOf(f.number, f.rules)].join(comma), thing: to ? `${f.chain} → ${to}` : f.chain };
    }
    case 'pkt.rewrite': {
      const f = e.facts as unknown as FactsOf<'pkt.rewrite'>;
      const side = (which: 'before' | 'after'): string => {
        const value = (name: string): string | undefined => f.fields.find((x) => x.field === name)?.[which];
        const ip = value('dst') ?? value('src');
        const port = value('dport') ?? value('sport');
        return ip === undefined ? (port ?? '') : endpoint(ip, port === undefined ? undefined : Number(port));
      };
      return { where: [step, f.how.toUpperCase()].join(comma), thing: `${side('before')} → ${side('after')}` };
    }
    case 'ct.confirm': {
      const f = e.facts as unknown as FactsOf<'ct.confirm'>;
      const node = netnsName(whereOf(e, spans).netns);
      return {
        where: [step, w.rowOf(node)].join(comma),
        thing: `dst=${f.ct.orig.dst} … src=${f.ct.reply.src}`,
      };
    }
    default: {
      const where = whereOf(e, spans);
      return {
        where: [step, netnsName(where.netns) || deviceName(where.dev)].filter((x) => x !== '').join(comma),
        thing: tell(e, { lang, spans }).what,
      };
    }
  }
}

/** Why a pin was refused, when the author did not foresee it. */
export function refusalText(pin: Pin, lang: Lang, stepOf: (seq: number) => number): string {
  const w = words(lang);
  const ctx = context();
  const p = ctx && pinnedThing(pin, ctx);
  const stop = lang === 'zh' ? '。' : '.';
  if (!p || p.kind === 'nothing') return w.notMet;
  if (p.kind === 'output') return w.doesNotFit(`“${p.line.trim().slice(0, 60)}”${stop}`);
  if (p.kind === 'entry') return w.stepDoesNotFit(stepOf(p.seq), `${w.rowOf(p.entry.node)}${stop}`);
  const told = tell(p.event, { lang, spans: access().spans });
  return w.stepDoesNotFit(stepOf(p.event.seq), `${told.what}${stop}`);
}
