import { LATE } from '../engine/cluster';
import { TOOLS } from '../engine/netfilter';
import { readManifest } from '../scenario/manifest';
import { completeLine, runArgv } from './exec';

/** See ./late. */
export const PARTS = { runArgv, completeLine, readManifest, programs: LATE, tools: TOOLS };
export type Parts = typeof PARTS;
