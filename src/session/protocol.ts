import type { ClusterSpec } from '../engine/cluster';
import type { Span, TraceEvent } from '../engine/trace';

/** What a session starts from. Plain data: it travels in links and between page and worker. */
export interface Recipe {
  readonly format: 1;
  readonly seed: number;
  /** Name of a built-in cluster profile, or a full spec. */
  readonly cluster: ClusterRecipe;
  readonly commands: readonly (SessionCommand | CutCommand)[];
}

export interface ClusterRecipe {
  readonly profile: 'three-nodes' | 'two-netns' | 'lab-netfilter' | 'lab-proxy' | 'lab-cli';
  /** The whole world in full, instead of the profile's. */
  readonly spec?: ClusterSpec;
  readonly nodes?: number;
  /** kube-proxy mode and flags, default iptables. */
  readonly proxyMode?: 'iptables' | 'ipvs' | 'nftables';
  readonly proxyFlags?: readonly string[];
  /** Manifests applied (and settled) before the first command. */
  readonly manifests?: string;
  readonly sysctls?: readonly { readonly netns: string; readonly key: string; readonly value: string }[];
}

/** Where a command line runs. */
export type PlaceRef =
  | { readonly kind: 'workstation' }
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'pod'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'machine'; readonly name: string };

/** Everything that changes a world. The log of these is the recipe; each is deterministic given the state before it. */
export type SessionCommand =
  /** One command (argv) in a place; bash itself runs outside the engine and calls this for each command it reaches. */
  | {
      readonly op: 'run';
      readonly place: PlaceRef;
      readonly argv: readonly string[];
      readonly stdin?: string;
      /** Files of the terminal's own file system that the command may read: absolute path → text. */
      readonly files?: Readonly<Record<string, string>>;
      /** Exported variables that differ from the place's own. */
      readonly env?: Readonly<Record<string, string>>;
      /** Working directory; default /root. */
      readonly cwd?: string;
      /** Width of the terminal; absent when stdout is a pipe or a file. */
      readonly cols?: number;
      /** stdout is a terminal, but stderr goes elsewhere. */
      readonly errApart?: boolean;
      /** Effective user id; default 0. */
      readonly uid?: number;
      readonly terminal?: string;
      readonly line?: string;
      readonly background?: boolean;
      readonly maxUs?: number;
    }
  /** kubectl apply -f of a text, from the editor. */
  | { readonly op: 'apply'; readonly yaml: string; readonly file?: string }
  /** Simulated time passes (us): typing, waiting. */
  | { readonly op: 'advance'; readonly us: number }
  /** Lab only: a raw packet put on a device or sent by a raw socket (`dev: 'local'`). Packet fields as in engine/net/types Packet without id. */
  | {
      readonly op: 'inject';
      readonly netns: string;
      readonly dev: string;
      readonly packet: unknown;
      readonly dstMac?: string;
      readonly srcMac?: string;
    }
  /** Scenario and lab actions that are no command line: link down, process kill, conntrack fill, routes ... one file each in engine/cluster/faults. */
  | { readonly op: 'fault'; readonly name: string; readonly args: Readonly<Record<string, unknown>> };

export interface CommandOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
  /** Files that the command wrote (curl -o): path → text; the terminal puts them into its file system. */
  readonly files?: Readonly<Record<string, string>>;
  /** Cursor range of the events that the command caused: first and last seq (0,0: none). */
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Where the reader wants to stand after the command: the first packet of the connection to what was typed. */
  readonly landSeq?: number;
  /** Seq at which each line of stdout was printed, in order (for dimming later lines at a past cursor). */
  readonly lineSeqs?: readonly number[];
}

/** A command cut short: it is done up to the handler at whose end the trace has `seq` events. What a fork begins with. */
export interface CutCommand {
  readonly op: 'cut';
  readonly seq: number;
  readonly command: SessionCommand;
}

// — worker protocol —

export type ToWorker =
  | { readonly id: number; readonly type: 'open'; readonly recipe: Recipe }
  | { readonly id: number; readonly type: 'do'; readonly command: SessionCommand }
  /** A listing command answered for a past cursor; refused with `acts: true` when the command would change the world. */
  | { readonly id: number; readonly type: 'peek'; readonly cursor: number; readonly command: SessionCommand }
  /** New session from the recipe up to the last handler boundary not after `cursor`; the old one is replaced in the worker. */
  | { readonly id: number; readonly type: 'fork'; readonly cursor: number }
  | { readonly id: number; readonly type: 'hash' }
  | {
      readonly id: number;
      readonly type: 'complete';
      readonly place: PlaceRef;
      readonly line: string;
      readonly cursor: number;
    }
  | { readonly id: number; readonly type: 'cancel'; readonly target: number };

export type FromWorker =
  | { readonly type: 'reply'; readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly type: 'reply'; readonly id: number; readonly ok: false; readonly error: SessionError }
  /** Appended events and spans; always sent before the reply to the command that caused them. */
  | { readonly type: 'append'; readonly events: readonly TraceEvent[]; readonly spans: readonly Span[] }
  | {
      readonly type: 'progress';
      readonly id: number;
      readonly done: number;
      readonly total?: number;
      readonly what: string;
    };

/** A clear error: what was wrong, where, what was expected. `code` is a catalogue key. */
export interface SessionError {
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly field?: string;
  readonly expected?: string;
}
