import { create } from 'zustand';
import { access, page, usePage } from '../model';
import type { Reads } from './rows';

export type * from './rows';

const NONE: Reads = {
  conntrack: () => [],
  conntrackMax: () => undefined,
  rules: () => [],
  slices: () => [],
  services: () => [],
  pods: () => [],
  nodes: () => [],
  machines: () => [],
  sysctls: () => [],
  kernelLog: () => [],
  topology: () => ({ nodes: [], services: [], machines: [], proxyMode: 'iptables' }),
  hooks: () => [],
  chain: () => undefined,
  ruleCount: () => 0,
  conntrackCount: () => 0,
  ruleDiff: () => [],
};

/** How the world is read comes with the engine's record types, after the page's first paint. */
const useReader = create<{ readonly reads: Reads }>(() => ({ reads: NONE }));
let asked = false;

/** Answers of one moment are computed once, however many panels ask. */
function once(reads: Reads): Reads {
  let moment = '';
  let first: unknown;
  const answers = new Map<string, unknown>();
  const kept = (name: string, ask: () => unknown): unknown => {
    const { cursor, head, status } = page();
    const now = `${cursor} ${head} ${status}`;
    if (now !== moment || access().events[0] !== first) {
      answers.clear();
      moment = now;
      first = access().events[0];
    }
    if (!answers.has(name)) answers.set(name, ask());
    return answers.get(name);
  };
  return new Proxy(reads, {
    get: (target, name: keyof Reads & string) => {
      // It reads what it is given, not the world.
      if (name === 'ruleDiff') return target.ruleDiff;
      const ask = target[name] as (...args: readonly unknown[]) => unknown;
      return (...args: readonly unknown[]) => kept(`${name} ${args.join(' ')}`, () => ask(...args));
    },
  });
}

export function provideReads(reads: Reads): void {
  asked = true;
  useReader.setState({ reads: once(reads) });
}

/** Fetches the reading side of the engine, once. */
export function loadReads(): void {
  if (asked) return;
  asked = true;
  import('../../session/reads').then(
    (m) => provideReads(m.readsOf(() => access().reader())),
    () => {
      asked = false;
    },
  );
}

/** The world at the cursor; the component is drawn again whenever the cursor or the trace moves. */
export function useReads(): Reads {
  const open = usePage((p) => p.status === 'ready');
  usePage((p) => p.cursor);
  usePage((p) => p.head);
  usePage((p) => p.recipe);
  const { reads } = useReader();
  return open ? reads : NONE;
}

/** Whether the world can be read yet. */
export const useReadable = (): boolean => useReader((s) => s.reads !== NONE);
