import { LATE } from '../engine/cluster';
import { readManifest } from '../scenario/manifest';
import { completeLine, runArgv } from './exec';

/** See ./late. */
export const PARTS = { runArgv, completeLine, readManifest, programs: LATE };
export type Parts = typeof PARTS;
