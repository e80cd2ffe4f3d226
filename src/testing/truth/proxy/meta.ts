import type { TruthFiles } from '../types';

export interface Action {
  readonly op: string;
  readonly [key: string]: unknown;
}

export interface CaseMeta {
  readonly case: string;
  readonly modes: readonly ('iptables' | 'nftables')[];
  readonly kubeProxyFlags: readonly string[];
  readonly podsDeletedWithGrace: readonly string[];
  readonly steps: readonly { readonly name: string; readonly do: readonly Action[] }[];
  readonly versions: { readonly iptables?: string };
  readonly nodes: {
    readonly [node: string]: { readonly internalIP: string; readonly podCIDR: string; readonly zone: string };
  };
}

export function readMeta(files: TruthFiles, dir: string): CaseMeta | undefined {
  const text = files.read(`${dir}/meta.json`);
  return text === undefined ? undefined : (JSON.parse(text) as CaseMeta);
}

/** Flags of one node in one mode: `node-N` stands for its name; nftables mode does not know the iptables flags. */
export function flagsOf(meta: CaseMeta, node: string, mode: string): string[] {
  const own = meta.kubeProxyFlags.map((f) => f.replace('node-N', node));
  const known = mode === 'iptables' ? own : own.filter((f) => !f.startsWith('--iptables-localhost'));
  // A world that has a cluster CIDR of its own must lose it where the record has none.
  const cidr = known.some((f) => f.startsWith('--cluster-cidr=')) ? [] : ['--cluster-cidr='];
  return [`--proxy-mode=${mode}`, '-v=2', ...cidr, ...known];
}
