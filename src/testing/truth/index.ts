import '../setup';
import { replayDns } from './dns';
import { replayProxy } from './proxy';
import type { Replayer } from './types';

/** One replayer a truth folder, by the folder's name. */
export const replayers: Readonly<Record<string, Replayer>> = { dns: replayDns, proxy: replayProxy };
