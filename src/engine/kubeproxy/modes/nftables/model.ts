import type { IpFamily } from '../../../base/ip';
import { defineMap } from '../../../base/recordmap';

export interface NftSet {
  readonly name: string;
  /** `ipv4_addr`, or with `: verdict` for a map. */
  readonly type: string;
  readonly isMap: boolean;
  readonly comment?: string;
  readonly flags?: readonly string[];
  readonly size?: number;
  /** Seconds. */
  readonly timeoutS?: number;
  /** As listed: `10.96.0.1 . tcp . 443 : goto ...`. Contents of dynamic sets are the kernel's, not kube-proxy's. */
  readonly elements: readonly string[];
}

export interface NftChain {
  readonly name: string;
  /** `type filter hook input priority filter; policy accept;` of a base chain. */
  readonly hook?: string;
  readonly comment?: string;
  readonly rules: readonly string[];
}

/** One `table ip kube-proxy` or `table ip6 kube-proxy`, as kube-proxy made it. */
export interface NftTable {
  readonly node: string;
  readonly family: IpFamily;
  readonly comment: string;
  readonly sets: readonly NftSet[];
  readonly chains: readonly NftChain[];
  /** Chains emptied because nothing uses them, and since when, us; the next sync a second later removes them. */
  readonly stale: { readonly [chain: string]: number };
}

/** Tables by `node/ip` and `node/ip6`. */
export const NFT_TABLES = defineMap<NftTable>('kubeproxy.nftables', { node: (t) => t.node });

export const tableKey = (node: string, family: IpFamily): string => `${node}/${family === 4 ? 'ip' : 'ip6'}`;
