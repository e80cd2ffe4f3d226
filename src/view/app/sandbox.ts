import type { Recipe } from '../../session/protocol';

/** The empty sandbox: three nodes, every command. */
export const SANDBOX: Recipe = { format: 1, seed: 7, cluster: { profile: 'three-nodes' }, commands: [] };
