import type { Recipe } from '../../session/protocol';

/** What a world is modelled on, as the pills and the profile name it. */
export interface Profile {
  readonly kubernetes: string;
  readonly kubernetesFull: string;
  readonly kernel: string;
  readonly mode: string;
  readonly iptables: string;
  readonly backend: string;
  readonly cni: string;
  readonly cniShort: string;
  readonly flags: readonly string[];
  readonly nodes: number;
  readonly seed: string;
}

/** Versions that the model is held to by recordings; the rest comes from the recipe. */
export function profileOf(recipe: Recipe): Profile {
  return {
    kubernetes: '1.37',
    kubernetesFull: '1.37.2',
    kernel: '6.18',
    mode: recipe.cluster.proxyMode ?? 'iptables',
    iptables: '1.8.9',
    backend: 'nf_tables',
    cni: 'bridge cni0, host-gw',
    cniShort: 'bridge',
    flags: recipe.cluster.proxyFlags ?? [],
    nodes: recipe.cluster.nodes ?? 3,
    seed: String(recipe.seed),
  };
}
