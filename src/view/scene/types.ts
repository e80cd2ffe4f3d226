import type { Json } from '../../engine/base/json';
import type { Span, TraceEvent } from '../../engine/trace';

/** What the map is drawn from: names and addresses of the world at the cursor, never coordinates. */
export interface Topology {
  readonly nodes: readonly TopoNode[];
  readonly services: readonly TopoService[];
  /** Machines that are no node: a client outside, a gateway. */
  readonly machines: readonly TopoMachine[];
  /** The network that joins the nodes, as CIDR. */
  readonly network?: string;
  readonly proxyMode: 'iptables' | 'ipvs' | 'nftables';
}

export interface TopoNode {
  readonly name: string;
  /** Address on the network of the nodes; absent: none. */
  readonly address?: string;
  readonly netns: string;
  /** Name of the bridge that its pods hang on; absent: no bridge, no pods. */
  readonly bridge?: string;
  /** Name of the device to the network of the nodes. */
  readonly uplink?: string;
  /** 1: packets between pods of the bridge walk the hooks (bridge-nf-call-iptables). */
  readonly bridgeHooks?: boolean;
  readonly pods: readonly TopoPod[];
}

export interface TopoPod {
  readonly namespace: string;
  readonly name: string;
  readonly netns: string;
  readonly address?: string;
  readonly state: 'ready' | 'unready' | 'terminating';
}

export interface TopoService {
  readonly namespace: string;
  readonly name: string;
  /** Absent: headless or ExternalName. */
  readonly clusterIP?: string;
  readonly ports: readonly { readonly port: number; readonly protocol: string; readonly nodePort?: number }[];
  /** Addresses of its endpoints as its EndpointSlices list them. */
  readonly endpoints: readonly string[];
}

export interface TopoMachine {
  readonly name: string;
  readonly netns: string;
  readonly address?: string;
  readonly kind: 'outside' | 'gateway';
}

/** Stations registered on a hook of a namespace (records of the map `net.hooks`). */
export interface HookStations {
  readonly netns: string;
  readonly hook: string;
  readonly family: 4 | 6;
  readonly stations: readonly { readonly name: string; readonly priority: number }[];
}

/** A rule as the world at the cursor holds it. Reading rules is allowed while a question is open. */
export interface RuleView {
  readonly id: string;
  /** As iptables-save prints it, `-A CHAIN ...`. */
  readonly text: string;
}

/** A packet as the reader names it: by its number in the flow, its kind and its direction. */
export interface PacketInfo {
  readonly id: number;
  /** Number within the flow, from 1. */
  readonly number: number;
  /** By direction of the connection. */
  readonly role: 'request' | 'reply';
  readonly form: 'tag' | 'icmp' | 'icmp-error' | 'dns' | 'rst';
  /** `SYN`, `UDP`, `echo-request`. */
  readonly label: string;
}

/**
 * Everything the picture depends on. The caller keeps back what may not be shown: `packetEvents` ends at `horizon`,
 * which is the cursor itself while a question is open. buildScene drops later events once more.
 */
export interface SceneInput {
  readonly topology: Topology;
  readonly hooks: readonly HookStations[];
  /** Event at the cursor; undefined at cursor 0. */
  readonly event: TraceEvent | undefined;
  readonly cursor: number;
  /** Last seq that may be shown. */
  readonly horizon: number;
  /** A question is open: the caption says that the picture ends here. */
  readonly asking?: boolean;
  readonly packet: PacketInfo | undefined;
  /** Events of that packet in order of seq, up to the horizon. */
  readonly packetEvents: readonly TraceEvent[];
  readonly spans: readonly Span[];
  /** Rules of a chain of the world at the cursor; undefined when it has no such chain. */
  readonly rules?: (netns: string, table: string, chain: string) => readonly RuleView[] | undefined;
  /** The Service that the reader follows; default: the one whose address the packet asked for. */
  readonly service?: { readonly namespace: string; readonly name: string };
  /** Conntrack figures of the namespace at the cursor, for the card of a full table. */
  readonly conntrack?: {
    readonly count: number;
    readonly max: number;
    readonly assured: number;
    readonly closing: number;
  };
  /** A wrong answer, drawn once as the way the reader predicted: the chain's name. */
  readonly predicted?: { readonly chain: string };
  /** Rules that are pinned in the notebook. */
  readonly pinnedRules?: readonly string[];
  /** The line that the kernel logged at this drop. */
  readonly kernelLine?: string;
}

// — what buildScene gives: meaning first, still without coordinates —

/** A place on the map. */
export type Spot =
  | { readonly at: 'pod'; readonly node: string; readonly netns: string }
  | { readonly at: 'bridge'; readonly node: string; readonly netns?: string }
  | { readonly at: 'station'; readonly node: string; readonly station: MapStation }
  | { readonly at: 'door'; readonly node: string }
  | { readonly at: 'machine'; readonly netns: string };
export type MapStation = 'PRE' | 'FWD' | 'POST';

export interface Visit {
  readonly seq: number;
  readonly spot: Spot;
}

export interface Rewrite {
  readonly field: 'destination' | 'source';
  readonly before: string;
  readonly after: string;
  /** dnat, snat, masquerade, reverse ... */
  readonly how: string;
  readonly seq: number;
}

export interface MapMarks {
  /** Places of the packet up to the cursor, in order; repeated places are merged. */
  readonly walked: readonly Visit[];
  /** Places still to come, as far as they may be shown. */
  readonly ahead: readonly Visit[];
  /** Places between the event before the cursor and the event at it; for the moving packet. */
  readonly before: Spot | undefined;
  readonly here: Spot | undefined;
  readonly room: string | undefined;
  readonly from: string | undefined;
  /** Middle station of rooms where the packet does not go through FORWARD. */
  readonly local: Readonly<Record<string, 'IN' | 'OUT'>>;
  readonly dropped: boolean;
  readonly arrived: boolean;
  readonly rewrite: Rewrite | undefined;
}

export type StopKind = 'device' | 'process' | 'station' | 'route';
export type StopState = 'passed' | 'now' | 'ahead' | 'none' | 'dropped' | 'never';

export interface HookStop {
  readonly id: string;
  readonly kind: StopKind;
  readonly name: string;
  readonly hook?: string;
  readonly priority?: number;
  readonly registered: boolean;
  readonly state: StopState;
  /** What happened here, as a code and values: for the upright line of a phone. */
  readonly remark?: Remark;
}
export type Remark =
  | { readonly code: 'no-table' }
  | { readonly code: 'rules-read'; readonly count: number }
  | { readonly code: 'ct-new' }
  | { readonly code: 'ct-found'; readonly info: string }
  | { readonly code: 'ct-confirmed' }
  | { readonly code: 'not-asked'; readonly reason: string }
  | { readonly code: 'route'; readonly oif: string; readonly via?: string }
  | { readonly code: 'dropped' }
  | { readonly code: 'ahead' };

export interface HookMarks {
  readonly netns: string;
  /** Short name for the caption: node-1, client. */
  readonly name: string;
  readonly mirrored: boolean;
  readonly stops: readonly HookStop[];
  /** Index of the stop the packet stands at. */
  readonly at: number;
  readonly atBefore: number;
  /** Index that the dotted way reaches; undefined: not drawn. */
  readonly aheadTo: number | undefined;
  /** The road not taken, as a pill over the rail: between the stops at these indices. */
  readonly loop: { readonly from: number; readonly to: number; readonly road: 'local' | 'FORWARD' } | undefined;
  readonly dropped: boolean;
  readonly rulesRead: number;
  readonly rulesMissed: number;
  readonly tablesRead: readonly TableRead[];
}
/** A table that the packet went through on its way to the cursor, for the panel beside an entry. */
export interface TableRead {
  readonly hook: string;
  readonly table: string;
  readonly read: number;
  readonly verdict: string;
  readonly chain?: string;
  readonly rule?: number;
  readonly condition?: string;
}

export type ChainRow =
  | {
      readonly kind: 'skip';
      readonly first: number;
      readonly last: number;
      readonly count: number;
      readonly reason: string;
      readonly current: boolean;
    }
  | {
      readonly kind: 'rule';
      readonly number: number;
      readonly ruleId: string;
      readonly matched: boolean;
      /** The first line: the condition, or the target of a rule that has none of interest. */
      readonly title: Phrase;
      readonly detail: Phrase;
      /** The rule's chain came back without a verdict. */
      readonly back: boolean;
      readonly rewrites: boolean;
      readonly current: boolean;
      readonly pinned: boolean;
      readonly text: string;
    }
  | {
      readonly kind: 'test';
      readonly number: number;
      readonly of: number | undefined;
      readonly ruleId: string;
      readonly title: Phrase;
      readonly text: string;
    }
  | { readonly kind: 'rest'; readonly count: number; readonly read: 'not-reached' | 'not-yet' }
  | { readonly kind: 'policy'; readonly policy: string; readonly current: boolean }
  | { readonly kind: 'return'; readonly to: string; readonly current: boolean };

/** A piece of text: what a machine prints, or a code with values that the words of the page render. */
export type Phrase =
  | { readonly as: 'code'; readonly text: string }
  | { readonly as: 'word'; readonly code: WordCode; readonly values?: Readonly<Record<string, string | number>> };
export type WordCode = 'every-packet' | 'drew' | 'under-test' | 'does-not-match';

export interface ChainPanel {
  readonly chain: string;
  readonly rows: readonly ChainRow[];
  readonly current: boolean;
  /** Rule of the caller that led here. */
  readonly callerRule: number | undefined;
}

/** What stands open under the line of hooks. */
export type Opened =
  | {
      readonly kind: 'chains';
      readonly stop: number;
      readonly table: string;
      /** Base chain whose only part is an unconditional jump: named on the branch instead of drawn. */
      readonly via: { readonly chain: string; readonly rule: number } | undefined;
      readonly panels: readonly ChainPanel[];
      /** The verdict ended the table. `shown`: the way back onto the rail may be drawn. */
      readonly exit: { readonly verdict: string; readonly how: 'rule' | 'policy'; readonly shown: boolean } | undefined;
      readonly returning: boolean;
    }
  | { readonly kind: 'entry'; readonly stop: number; readonly entry: EntryMarks }
  | { readonly kind: 'route'; readonly stop: number; readonly facts: RouteMarks }
  | { readonly kind: 'drop'; readonly stop: number; readonly drop: DropMarks }
  | { readonly kind: 'not-asked'; readonly stop: number; readonly table: string; readonly reason: string }
  | { readonly kind: 'device'; readonly stop: number; readonly name: string; readonly lines: readonly string[] }
  | { readonly kind: 'process'; readonly stop: number; readonly name: string; readonly lines: readonly string[] };

export interface EntryMarks {
  readonly phase: 'new' | 'found' | 'confirmed' | 'translated' | 'destroyed' | 'nat';
  readonly orig: TupleText;
  readonly reply: TupleText;
  readonly match: 'original' | 'reply' | undefined;
  readonly state: string | undefined;
  readonly status: readonly string[];
  readonly rewrite: Rewrite | undefined;
}
export interface TupleText {
  readonly src: string;
  readonly dst: string;
}
export interface RouteMarks {
  readonly dst: string;
  readonly result: string;
  readonly oif: string | undefined;
  readonly via: string | undefined;
  readonly prefsrc: string | undefined;
  readonly route: string | undefined;
  readonly stage: string;
}
export interface DropMarks {
  readonly reason: string;
  readonly where: {
    readonly name: string;
    readonly hook?: string;
    readonly table?: string;
    readonly chain?: string;
    readonly rule?: number;
    readonly station?: string;
  };
  readonly symptom: string;
  readonly answered: string | undefined;
  readonly neverReached: number;
  readonly conntrack: SceneInput['conntrack'];
  readonly kernelLine: string | undefined;
}

/** An event without a picture of its own. */
export interface CardMarks {
  readonly kind: string;
  readonly place: readonly string[];
  readonly facts: readonly { readonly name: string; readonly value: Json }[];
  readonly changed: number;
}

export interface Crumb {
  readonly level: 'cluster' | 'node' | 'hook' | 'table' | 'chain';
  readonly text: string;
  /** Printed by a machine: set in the mono face. */
  readonly mono: boolean;
}

export interface Scene {
  readonly cursor: number;
  /** The event at the cursor ends the packet. */
  readonly droppedNow: boolean;
  /** Panels from this index on open in this step; undefined: none does. */
  readonly newPanels: number | undefined;
  /** Row on which the packet stood before this step, if in the same table. */
  readonly branchFrom: { readonly panel: number; readonly row: number } | undefined;
  readonly topology: Topology;
  readonly packet: PacketInfo | undefined;
  readonly service: TopoService | undefined;
  readonly map: MapMarks;
  readonly hook: HookMarks | undefined;
  /** The packet ended here: how and why. */
  readonly drop: DropMarks | undefined;
  readonly opened: Opened | undefined;
  readonly card: CardMarks | undefined;
  readonly crumbs: readonly Crumb[];
  readonly predicted: SceneInput['predicted'];
  /** The trace may be shown beyond the cursor. */
  readonly open: boolean;
  /** A question is open at the cursor: nothing beyond it is drawn. */
  readonly held: boolean;
}
