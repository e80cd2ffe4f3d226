import type { Lang } from '../../explain';
import type { DropMarks, Phrase, Remark } from '../scene/types';

export type StageLang = Lang;

/** Words on the stage itself. Names of the API and the kernel, states and addresses are not translated. */
interface Words {
  readonly colon: string;
  readonly cluster: string;
  readonly outside: string;
  readonly onNoInterface: string;
  readonly onIpvs: string;
  readonly destination: string;
  readonly source: string;
  readonly pods: (n: number) => string;
  readonly more: (n: number) => string;
  readonly inside: (name: string) => string;
  readonly rulesRead: (read: number, missed: number) => string;
  readonly noTables: string;
  readonly endsHere: string;
  readonly staysHere: string;
  readonly partHere: string;
  readonly passed: string;
  readonly ahead: string;
  readonly noTable: string;
  readonly route: string;
  readonly process: string;
  readonly last: string;
  readonly localRoad: string;
  readonly merged: (n: number, from: string, to: string) => string;
  readonly skipped: (n: number, reason: string) => string;
  readonly reasons: Readonly<Record<string, string>>;
  readonly notReached: (n: number) => string;
  readonly notRead: (n: number) => string;
  readonly everyPacket: string;
  readonly drew: (draw: string, below: string, matched: boolean) => string;
  readonly doesNotMatch: string;
  readonly underTest: (n: number, of: number | undefined) => string;
  readonly cameBack: string;
  readonly returnsTo: (chain: string) => string;
  readonly policy: (p: string) => string;
  readonly exit: (verdict: string, table: string) => string;
  readonly via: (chain: string, rule: number) => string;
  readonly stub: (rule: number | undefined) => string;
  readonly rule: (n: number) => string;
  readonly entryTitle: string;
  readonly entryNew: string;
  readonly entryState: Readonly<Record<string, string>>;
  readonly original: string;
  readonly reply: string;
  readonly translated: (field: 'destination' | 'source') => string;
  readonly readOnTheWay: string;
  readonly natNotRead: string;
  readonly natRules: string;
  readonly read: (n: number) => string;
  readonly firstOnly: string;
  readonly routeTitle: string;
  readonly routeTo: string;
  readonly routeOut: string;
  readonly routeVia: string;
  readonly routeLine: string;
  readonly routeLocal: string;
  readonly direct: string;
  readonly notAsked: (table: string) => string;
  readonly notAskedReasons: Readonly<Record<string, string>>;
  readonly dropped: Readonly<Record<string, string>>;
  readonly droppedTitle: string;
  readonly rejectedTitle: string;
  readonly neverReached: (hook: string, n: number) => string;
  readonly symptoms: Readonly<Record<string, string>>;
  readonly tableFull: (closing: number) => string;
  readonly yourAnswer: string;
  readonly notEntered: string;
  readonly notEnteredLine: string;
  readonly predicted: string;
  readonly remarks: (r: Remark) => string;
  readonly packet: (n: number, role: 'request' | 'reply', label: string) => string;
  readonly pin: string;
  readonly pinRule: (n: number, chain: string) => string;
  readonly mapLabel: string;
  readonly hookLabel: (name: string) => string;
  readonly noStage: string;
  readonly changed: (n: number) => string;
  readonly ready: Readonly<Record<'ready' | 'unready' | 'terminating', string>>;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly fit: string;
  readonly hiddenNodes: (n: number) => string;
  readonly levels: Readonly<Record<'map' | 'node' | 'hook', string>>;
}

const s = (n: number): string => (n === 1 ? '' : 's');
const num = (n: number): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

const en: Words = {
  colon: ': ',
  cluster: 'cluster',
  outside: 'outside',
  onNoInterface: 'on no interface',
  onIpvs: 'on kube-ipvs0 of every node',
  destination: 'destination',
  source: 'source',
  pods: (n) => `${num(n)} pod${s(n)}`,
  more: (n) => `+ ${num(n)} pod${s(n)}`,
  inside: (name) => `Inside ${name}`,
  rulesRead: (read, missed) =>
    read === 0 ? 'no rule read so far' : `${num(read)} rule${s(read)} read, ${num(missed)} did not match`,
  noTables: 'no table is registered here',
  endsHere: 'the picture ends where the packet stands',
  staysHere: 'the packet stays where it died',
  partHere: 'prediction and run part here',
  passed: 'passed',
  ahead: 'ahead',
  noTable: 'no table here',
  route: 'route',
  process: 'process',
  last: 'last',
  localRoad: 'INPUT · process · OUTPUT',
  merged: (n, from, to) => `${n} stations, ${from} … ${to}`,
  skipped: (n, reason) => `${num(n)} rule${s(n)} skipped: ${reason}`,
  reasons: {
    src: 'source differs',
    dst: 'destination differs',
    proto: 'protocol differs',
    sport: 'source port differs',
    dport: 'port differs',
    mark: 'mark differs',
    iface: 'interface differs',
    in: 'interface differs',
    out: 'interface differs',
    ctstate: 'ctstate differs',
    addrtype: 'address type differs',
    set: 'not in the set',
    flags: 'flags differ',
    source: 'source differs',
    destination: 'destination differs',
    protocol: 'protocol differs',
    conntrack: 'ctstate differs',
    tcp: 'port differs',
    udp: 'port differs',
    multiport: 'port differs',
    mixed: 'for different reasons',
  },
  notReached: (n) => `${num(n)} rule${s(n)} not reached`,
  notRead: (n) => `${num(n)} rule${s(n)} not read yet`,
  everyPacket: 'every packet',
  drew: (draw, below, matched) => (matched ? `drew ${draw}: below ${below}` : `drew ${draw}: not below ${below}`),
  doesNotMatch: 'does not match',
  underTest: (n, of) => (of === undefined ? `rule ${n}, under test` : `rule ${n} of ${num(of)}, under test`),
  cameBack: 'came back',
  returnsTo: (chain) => `returns to ${chain}`,
  policy: (p) => `no rule matched: policy ${p}`,
  exit: (verdict, table) =>
    verdict === 'ACCEPT'
      ? `ACCEPT: the rest of ${table} is not read`
      : `${verdict} accepts: the rest of ${table} is not read`,
  via: (chain, rule) => `${chain}, rule ${rule}`,
  stub: (rule) => (rule === undefined ? '…' : String(rule)),
  rule: (n) => `rule ${num(n)}`,
  entryTitle: 'conntrack entry',
  entryNew: 'not in the table until confirm',
  entryState: {
    new: 'new connection: both tuples noted, not in the table until confirm',
    found: 'known connection: the entry decides, no nat rule is asked',
    confirmed: 'the entry is in the table now',
    nat: 'the reply tuple now expects the new address',
    destroyed: 'the entry leaves the table',
  },
  original: 'original',
  reply: 'reply',
  translated: (field) =>
    field === 'source'
      ? 'matches the reply tuple: write the original destination as source'
      : 'the entry says where this connection goes: write that destination',
  readOnTheWay: 'Read on the way here',
  natNotRead: '0 read',
  natRules: 'nat rules',
  read: (n) => `${num(n)} read`,
  firstOnly: 'nat is decided by the first packet only',
  routeTitle: 'Route',
  routeTo: 'to',
  routeOut: 'out by',
  routeVia: 'next hop',
  routeLine: 'line of the table',
  routeLocal: 'an address of this machine: delivered here',
  direct: 'none, the address is on this link',
  notAsked: (table) => `${table} was not asked`,
  notAskedReasons: {
    established: 'nat is decided by the first packet of a connection only',
    known: 'nat is decided by the first packet of a connection only',
    'not-first': 'nat is decided by the first packet of a connection only',
    'no-table': 'no table is registered here',
    untracked: 'the packet is not tracked',
    invalid: 'the packet fits no connection',
    empty: 'the table has no rules here',
  },
  dropped: {
    'conntrack-full': 'conntrack table full',
    rule: 'a rule says so',
    policy: 'the policy says so',
    'no-route': 'no route to the destination',
    'no-listener': 'nobody listens on that port',
    'rp-filter': 'the source does not belong on this interface',
    'ttl-exceeded': 'time to live used up',
    'link-down': 'the link is down',
    'no-neighbour': 'the next hop does not answer',
    'mtu-exceeded': 'too long for the link',
    'forwarding-disabled': 'forwarding is off',
    'nat-no-free-tuple': 'no free port for the translation',
    'conntrack-insert-failed': 'another entry has the same tuple',
    blackhole: 'the route is a blackhole',
    prohibit: 'the route prohibits it',
    'martian-source': 'impossible source address',
    'martian-destination': 'impossible destination address',
    'bad-segment': 'not acceptable to the socket',
    'not-for-us': 'not for this machine',
    'bridge-same-port': 'would leave by the port it came in',
    ipvs: 'IPVS has no server for it',
    'no-memory': 'no memory',
  },
  droppedTitle: 'Dropped',
  rejectedTitle: 'Rejected',
  neverReached: (hook, n) => `${hook} ended here. ${n} station${s(n)} ${n === 1 ? 'was' : 'were'} never reached.`,
  symptoms: {
    nothing: 'The client hears nothing and tries again.',
    timeout: 'The client hears nothing and tries again.',
    refused: 'The client sees “Connection refused” at once.',
    ECONNREFUSED: 'The client sees “Connection refused” at once.',
    unreachable: 'The client is told that the address cannot be reached.',
    EHOSTUNREACH: 'The client is told that the address cannot be reached.',
    EPERM: 'The sender sees “Operation not permitted” at once.',
  },
  tableFull: (closing) =>
    closing === 0 ? 'closing states 0: the sweep finds nothing to remove' : `closing states ${num(closing)}`,
  yourAnswer: 'your answer',
  notEntered: 'not entered here',
  notEnteredLine: 'your answer, not entered here',
  predicted: 'predicted, did not happen',
  remarks: (r) => {
    switch (r.code) {
      case 'no-table':
        return 'no table';
      case 'rules-read':
        return `${num(r.count)} rule${s(r.count)}${r.count === 0 ? '' : ' read'}`;
      case 'ct-new':
        return 'new, original tuple noted';
      case 'ct-found':
        return `known, ${r.info}`;
      case 'ct-confirmed':
        return 'entry in the table';
      case 'not-asked':
        return 'not asked';
      case 'route':
        return r.via === undefined ? r.oif : `${r.oif}, via ${r.via}`;
      case 'dropped':
        return 'dropped';
      case 'ahead':
        return 'ahead';
    }
  },
  packet: (n, role, label) => `Packet ${n}, ${role}, ${label}`,
  pin: 'Pin',
  pinRule: (n, chain) => `Pin rule ${n} of ${chain}`,
  mapLabel: 'Cluster map',
  hookLabel: (name) => `Hooks of ${name}`,
  noStage: 'Type a command in a terminal. Its first packet appears here.',
  changed: (n) => `${num(n)} record${s(n)} changed`,
  ready: { ready: 'ready', unready: 'not ready', terminating: 'terminating' },
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'fit',
  hiddenNodes: (n) => `and ${num(n)} more`,
  levels: { map: 'cluster map', node: 'map and hooks', hook: 'hooks' },
};

const WORDS: Partial<Record<StageLang, Words>> = { en };
export type StageWords = Words;
/** Words of a language; English until they have been loaded. */
export const stageWords = (lang: StageLang): Words => WORDS[lang] ?? en;
export function addStageWords(lang: StageLang, words: Words): void {
  WORDS[lang] = words;
}

/** Text of a piece: as printed, or in the reader's words. */
export function phraseText(w: Words, p: Phrase): string {
  if (p.as === 'code') return p.text;
  const v = p.values ?? {};
  switch (p.code) {
    case 'every-packet':
      return w.everyPacket;
    case 'drew':
      return w.drew(String(v.draw), String(v.below), v.matched === 1);
    case 'under-test':
      return w.underTest(Number(v.number), undefined);
    case 'does-not-match':
      return w.doesNotMatch;
  }
}

/** One line for a drop: `Dropped: conntrack table full`. */
export function dropTitle(w: Words, d: DropMarks): string {
  const title = d.answered === undefined ? w.droppedTitle : w.rejectedTitle;
  return `${title}${w.colon}${w.dropped[d.reason] ?? d.reason}`;
}
export const thousands = num;
