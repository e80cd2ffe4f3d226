import type { PlaceRef } from '../session/protocol';
import type { Terminal, TermLine } from './types';

/** Lines a terminal keeps; older ones go. */
export const MAX_LINES = 10_000;

export const placeId = (p: PlaceRef): string =>
  p.kind === 'workstation' ? 'workstation' : p.kind === 'pod' ? `pod/${p.namespace}/${p.name}` : `${p.kind}/${p.name}`;

/** Prompt as the shell of the place shows it. */
export function promptOf(p: PlaceRef): string {
  switch (p.kind) {
    case 'workstation':
      return 'workstation:~$ ';
    case 'pod':
      return `${p.name}:/# `;
    default:
      return `${p.name}:~# `;
  }
}

export function newTerminal(place: PlaceRef): Terminal {
  return { id: placeId(place), place, lines: [], busy: false, history: [] };
}

/** Adds output text (may hold several lines; a last newline adds no empty line). */
export function addOutput(t: Terminal, text: string, kind: 'out' | 'err', seqs: readonly number[] | number): Terminal {
  if (text === '') return t;
  const parts = text.replace(/\n$/, '').split('\n');
  const lines = parts.map((line, i): TermLine => {
    const seq = typeof seqs === 'number' ? seqs : (seqs[i] ?? seqs[seqs.length - 1] ?? 0);
    return { text: line, seq, kind };
  });
  return { ...t, lines: [...t.lines, ...lines].slice(-MAX_LINES) };
}

export function addInput(t: Terminal, line: string, seq: number): Terminal {
  const history = line.trim() === '' || t.history[t.history.length - 1] === line ? t.history : [...t.history, line];
  return {
    ...t,
    history: history.slice(-1000),
    lines: [...t.lines, { text: line, seq, kind: 'in' as const, prompt: promptOf(t.place) }].slice(-MAX_LINES),
  };
}
