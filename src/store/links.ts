import { type AnchorFound, anchorOf, prefixHash, resolveAnchor } from '../session/anchor';
import { decodeLink, encodeLink, type LinkState } from '../session/link';
import type { Recipe } from '../session/protocol';
import type { TraceView } from '../session/steps';
import type { Lang } from './types';

export const readLink = decodeLink;

/** Address of this page with the world and the step in its fragment (which no browser sends to a server). */
export function linkTo(o: {
  readonly recipe: Recipe | undefined;
  readonly scenario: string | undefined;
  readonly lang: Lang;
  readonly trace: TraceView;
  readonly cursor: number;
}): string {
  const anchor = anchorOf(o.trace, o.cursor);
  const state: LinkState = {
    v: 1,
    scenario: o.scenario,
    recipe: o.recipe,
    anchor,
    hash: anchor && prefixHash(o.trace, o.cursor),
    lang: o.lang,
  };
  const url = new URL(window.location.href);
  url.hash = encodeLink(state);
  return url.href;
}

/** The cursor that a link means in the trace that is open now. */
export function landOn(trace: TraceView, link: LinkState): AnchorFound {
  return link.anchor ? resolveAnchor(trace, link.anchor, link.hash) : { cursor: trace.events.length, how: 'same' };
}
