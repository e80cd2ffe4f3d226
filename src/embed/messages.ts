/** The embed and the page around it talk in messages of this form; `payload` depends on the type. */
export const NAMESPACE = 'conntrail';
export const VERSION = 1;

export type FromParent =
  | { readonly type: 'play' | 'pause' | 'getState' }
  | { readonly type: 'step'; readonly by: 1 | -1 }
  | { readonly type: 'seek'; readonly step: number }
  | { readonly type: 'setTheme'; readonly theme: 'light' | 'dark' | 'auto' };

/** A message as it came from outside, checked field by field; undefined: none of ours. */
export function parseMessage(data: unknown): (FromParent & { readonly id: string | undefined }) | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const m = data as { ns?: unknown; v?: unknown; id?: unknown; type?: unknown; payload?: unknown };
  if (m.ns !== NAMESPACE || m.v !== VERSION) return undefined;
  const id = typeof m.id === 'string' && m.id.length <= 100 ? m.id : undefined;
  const p = (typeof m.payload === 'object' && m.payload !== null ? m.payload : {}) as Record<string, unknown>;
  switch (m.type) {
    case 'play':
    case 'pause':
    case 'getState':
      return { type: m.type, id };
    case 'step':
      return { type: 'step', by: p.by === -1 ? -1 : 1, id };
    case 'seek':
      return typeof p.step === 'number' && Number.isInteger(p.step) && p.step >= 0
        ? { type: 'seek', step: p.step, id }
        : undefined;
    case 'setTheme':
      return p.theme === 'light' || p.theme === 'dark' || p.theme === 'auto'
        ? { type: 'setTheme', theme: p.theme, id }
        : undefined;
    default:
      return undefined;
  }
}

/** Lets through at most `most` messages in any second. */
export function rateLimit(most: number, now: () => number): () => boolean {
  let window = Number.NEGATIVE_INFINITY;
  let used = 0;
  return () => {
    const t = now();
    if (t - window >= 1000) {
      window = t;
      used = 0;
    }
    used++;
    return used <= most;
  };
}
