import type { Action } from '../meta';

export interface FromPlace {
  readonly kind: 'pod' | 'node' | 'outside' | 'lb';
  readonly ip: string;
  readonly node?: string;
  readonly name?: string;
  readonly sourcePort?: number;
}

/** One client of the closed list (section 8.3 of the folder's README). */
export interface Client {
  readonly op: string;
  readonly fromPlace?: FromPlace;
  readonly to?: string;
  readonly attempts?: number;
  readonly timeoutS?: number;
  readonly gapS?: number;
  readonly intervalS?: number;
  readonly lines?: number;
  readonly giveUpS?: number;
  readonly name?: string;
  readonly grep?: string;
  readonly last?: number;
  readonly exclude?: readonly string[];
  readonly args?: string;
  readonly steps?: readonly { readonly into?: string; readonly client?: Client; readonly do?: readonly Action[] }[];
}

export type Result = { readonly [key: string]: unknown };
export type Tables = { readonly [node: string]: readonly string[] };

export interface Probe {
  readonly id: string;
  readonly mode: 'iptables' | 'nftables';
  readonly setup: readonly Action[];
  readonly client: Client;
  readonly during?: readonly { readonly atS?: number; readonly atEnd?: boolean; readonly do: readonly Action[] }[];
  readonly undo: readonly Action[];
  readonly sharesStateWith?: string;
  readonly conntrackFlushedBefore?: boolean;
  readonly result: Result;
  readonly conntrack?: Tables;
  readonly conntrackBefore?: Tables;
  readonly conntrackMid?: Tables;
  readonly conntrackAfter?: Tables;
}

/** One attempt of an echo client, or one line of a held connection. */
export interface Attempt {
  readonly ok: boolean;
  readonly timeMs: number;
  readonly errno?: string;
  readonly phase?: string;
  readonly backend?: string;
  readonly peerSeenByBackend?: string;
  readonly localAddrAtBackend?: string;
  readonly udpPortAtBackend?: string;
  readonly clientLocalAddr?: string;
  readonly clientRemoteAddr?: string;
  readonly atMs?: number;
}
