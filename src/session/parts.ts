import { FAULTS } from '../engine/cluster/faults';
import { LATE } from '../engine/cluster/late';
import { ipvsMode } from '../engine/kubeproxy/modes/ipvs';
import { nftablesMode } from '../engine/kubeproxy/modes/nftables';
import { TOOLS } from '../engine/netfilter/tool';
import { readManifest } from '../scenario/manifest';
import { applyManifest } from './apply';
import { completeLine, runArgv } from './exec';

/** See ./late. */
export const PARTS = {
  applyManifest,
  faults: FAULTS,
  modes: [nftablesMode, ipvsMode],
  runArgv,
  completeLine,
  readManifest,
  programs: LATE,
  tools: TOOLS,
};
export type Parts = typeof PARTS;
