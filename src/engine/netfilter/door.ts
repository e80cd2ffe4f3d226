import type { WorldReader } from '../base/recordmap';
import type { ExecResult } from '../net/stack';
import type { NetnsId } from '../net/types';

export type IptablesBackend = 'nft' | 'legacy';
export type Family = 4 | 6;

export interface RestoreOptions {
  readonly noflush?: boolean;
  /** Whose ways the program has; default 1.8.9. */
  readonly version?: '1.8.9' | '1.8.11';
  /** -c: take the counters of the text. */
  readonly counters?: boolean;
  readonly family?: Family;
  /** Default: the namespace's default backend (nft). */
  readonly backend?: IptablesBackend;
  /** Who did it, for the trace: `kube-proxy`, `iptables-restore`. */
  readonly by?: string;
  /** Where the text came from, kept as origin (file, line) of its rules. */
  readonly file?: string;
  /** --test: parse and check only. */
  readonly test?: boolean;
  /** -v: what is flushed is told on standard output. */
  readonly verbose?: boolean;
  /** -T: carry out this table only. */
  readonly table?: string;
}

export type RestoreResult =
  | { readonly ok: true; readonly rulesBefore: number; readonly rulesAfter: number; readonly stdout?: string }
  /** `message`: standard error as the program prints it, without the last line feed; `exit`: its status. */
  | { readonly ok: false; readonly line: number; readonly message: string; readonly exit: number };

/**
 * The public door of netfilter: what kube-proxy, the shell and the session use. The functions that only read take a
 * WorldReader, so that they answer for past cursors too.
 */
export interface NetfilterDoor {
  restore(netns: NetnsId, text: string, options?: RestoreOptions): RestoreResult;
  /**
   * One iptables command line that acts or lists: argv without the program's name, e.g. ['-t','nat','-A',...]. `reader` decides
   * what listings show; acting on a reader that is not the live world is the caller's mistake (asserted).
   */
  iptables(
    netns: NetnsId,
    argv: readonly string[],
    opts: { family?: Family; backend?: IptablesBackend; reader?: WorldReader; version?: '1.8.9' | '1.8.11' },
  ): ExecResult;
  /** iptables-save text. */
  save(
    reader: WorldReader,
    netns: NetnsId,
    opts?: {
      table?: string;
      counters?: boolean;
      family?: Family;
      backend?: IptablesBackend;
      /** Whether the comment lines around each table are there; `date` is the time in them (ctime). */
      header?: boolean;
      date?: string;
      version?: '1.8.9' | '1.8.11';
    },
  ): string;
  /** Rules in all tables of a namespace. */
  ruleCount(reader: WorldReader, netns: NetnsId): number;
  /** conntrack(8): argv without the program's name. */
  conntrack(
    netns: NetnsId,
    argv: readonly string[],
    opts?: {
      reader?: WorldReader;
      version?: '1.4.7' | '1.4.8';
      uid?: number;
      /** -E: events from this time on (us); default: all that are kept. */
      sinceUs?: number;
    },
  ): ExecResult;
  /** ipset(8): argv without the program's name. */
  readonly ipset?: {
    run(netns: NetnsId, argv: readonly string[], stdin?: string, version?: '7.17' | '7.22'): ExecResult;
  };
  /** kube-proxy's UDP clean-up: deletes entries that match; returns how many (pkg/proxy/conntrack). */
  deleteConntrack(netns: NetnsId, match: (e: ConntrackView) => boolean): number;
}

/** A conntrack entry as listings, panels and clean-up read it. */
export interface ConntrackView {
  readonly id: string;
  readonly netns: NetnsId;
  readonly zone: number;
  readonly proto: number;
  readonly orig: { readonly src: string; readonly dst: string; readonly sport: number; readonly dport: number };
  readonly reply: { readonly src: string; readonly dst: string; readonly sport: number; readonly dport: number };
  /** TCP state name; undefined for protocols without. */
  readonly state: string | undefined;
  readonly assured: boolean;
  readonly seenReply: boolean;
  /** Absolute simulated time of expiry, us. */
  readonly expiresAtUs: number;
  readonly mark: number;
}
