import type { TraceEvent } from '../engine/trace/events';
import { clock, num } from './format';
import { packetRef, placeText, type TellContext, tell } from './narrate';

/**
 * One line per event for terminals and test failures:
 * `   17  12.000 214 s  1  node-1 PREROUTING nat KUBE-SEP-6UPW…  Matched rule 2. DNAT | Destination was …`.
 */
export function traceLine(e: TraceEvent, ctx: TellContext): string {
  const t = tell(e, ctx);
  const ref = packetRef(e, ctx.spans);
  const place = placeText(e, 'en', ctx.spans).replace(/, /g, ' ');
  const head = `${num(e.seq).padStart(6)}  ${clock(e.atUs).padStart(13)}  ${(ref === undefined ? '-' : String(ref.n)).padStart(2)}`;
  const body = [t.what, t.changed].filter((p) => p !== undefined && p !== '').join(ctx.lang === 'zh' ? '；' : ' | ');
  return `${head}  ${place === '' ? '' : `${place}  `}${body}`;
}
