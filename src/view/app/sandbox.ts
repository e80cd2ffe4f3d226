import type { Recipe } from '../../session/protocol';

/** The sandbox: the lessons' three nodes with a web Pod and a client on each, every command. */
export async function sandbox(): Promise<Recipe> {
  const { default: manifests } = await import('../../../scenarios/clusters/school.yaml?raw');
  return { format: 1, seed: 7, cluster: { profile: 'three-nodes', manifests }, commands: [] };
}
