import { type BashHost, type BashIo, BashShells } from '../shell/bash';
import type { PlaceRef } from './protocol';

/** The shell language of all terminals of a page; its own chunk, loaded with the first terminal. */
export interface PageShell {
  /** Runs a line of shell language in a place; resolves with its exit code. */
  exec(place: PlaceRef, line: string, io: BashIo): Promise<number>;
}

export function createPageShell(host: BashHost): PageShell {
  const shells = new BashShells(host);
  return { exec: (place, line, io) => shells.exec(place, line, io) };
}
