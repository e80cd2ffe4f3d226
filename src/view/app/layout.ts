import { create } from 'zustand';
import type { StageLevel } from '../path/Stage';
import { keepSetting, readSetting } from '../ui/hooks';

export type TableName = 'conntrack' | 'iptables' | 'slices' | 'kernel';
export type PhoneTab = 'guide' | 'stage' | 'inspect' | 'terminal' | 'tables';

/** How the reader has arranged the page: no part of the world or of its history. */
export interface Layout {
  readonly terminal: boolean;
  readonly table: TableName | undefined;
  /** Node whose rules are shown; undefined: the one under the cursor. */
  readonly rulesNode: string | undefined;
  /** Height of the open drawer (px). */
  readonly height: number;
  /** On narrow desks guide and inspector share a column. */
  readonly side: 'guide' | 'inspector';
  readonly phone: PhoneTab;
  /** How near the stage looks: map, map and hooks, hooks; undefined: as the room allows. */
  readonly level: StageLevel | undefined;
  /** What it looks like now. */
  readonly shown: StageLevel;
  /** Stage as picture or as table. */
  readonly asTable: boolean;
  /** Rises when the terminal is to take the focus. */
  readonly focusTerminal: number;
}

export const MIN_DRAWER = 140;
const kept = Number(readSetting('drawer'));

export const useLayout = create<Layout>(() => ({
  terminal: false,
  table: undefined,
  rulesNode: undefined,
  height: Number.isFinite(kept) && kept >= MIN_DRAWER ? kept : 232,
  side: 'guide',
  phone: 'guide',
  level: undefined,
  shown: 'node',
  asTable: false,
  focusTerminal: 0,
}));

export const setLayout = (change: Partial<Layout>): void => useLayout.setState(change);

export function setDrawerHeight(height: number): void {
  const most = Math.max(MIN_DRAWER, Math.round(window.innerHeight * 0.6));
  const next = Math.max(MIN_DRAWER, Math.min(most, Math.round(height)));
  setLayout({ height: next });
  keepSetting('drawer', String(next));
}

/** Opens the terminals and hands them the focus. */
export function showTerminal(): void {
  useLayout.setState((s) => ({ terminal: true, phone: 'terminal', focusTerminal: s.focusTerminal + 1 }));
}

export const toggleTable = (name: TableName): void =>
  useLayout.setState((s) => ({ table: s.table === name ? undefined : name }));
