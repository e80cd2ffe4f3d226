import { engine, type Store, useStore } from '../store/store';
import type { TraceAccess } from '../store/types';

export function usePage<T>(select: (page: Store) => T): T {
  return useStore(select);
}

/** For event handlers: what the page holds now, without subscribing. */
export const page = (): Store => useStore.getState();

/** Calls `listener` whenever the page's state changes, until the returned function is called. */
export const onPage = useStore.subscribe;

/** Trace and world at the cursor: read after subscribing to `cursor` and `head`. */
export const access = (): TraceAccess => engine;

/** Step number as shown: cluster set-up is not counted. */
export const stepNumber = (s: { readonly cursor: number; readonly origin: number }): number =>
  Math.max(0, s.cursor - s.origin);

/** How many steps there are, or undefined while a question hides it. */
export const stepTotal = (s: {
  readonly head: number;
  readonly horizon: number;
  readonly origin: number;
}): number | undefined => (s.horizon < s.head ? undefined : Math.max(0, s.head - s.origin));

/** The cursor stands at an open question: nothing may be shown or stepped to beyond it. */
export const asking = (s: { readonly head: number; readonly horizon: number; readonly cursor: number }): boolean =>
  s.horizon < s.head && s.cursor >= s.horizon;
