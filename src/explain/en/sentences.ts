import type { Catalogue, Scene, Told } from '../catalogue';
import { conditionsOf, effectOf, failedCondition } from '../conditions';
import {
  destinationOf,
  deviceName,
  drawText,
  endpoint,
  hex,
  joinedChanges,
  l4Field,
  netnsName,
  num,
  packetKind,
  routeText,
  seconds,
  sourceOf,
  tupleText,
} from '../format';
import { does, dropWhy, fieldName, holds, list, notWalked, skipped, symptom, wants } from './words';

const named = (s: Scene, ip: string, port?: number): string => {
  const name = s.nameOf(ip);
  return name === undefined ? endpoint(ip, port) : `${name} (${endpoint(ip, port)})`;
};
const here = (s: Scene): string => netnsName(s.where.netns ?? s.where.node);
const plural = (n: number, one: string, many: string): string => `${num(n)} ${n === 1 ? one : many}`;

/** What an entry that belongs to the packet means for it. */
const entryOf = (dir: 'original' | 'reply'): string => (dir === 'original' ? 'original direction' : 'reply direction');

/** Every kind of event in English. */
export const sentences: Catalogue = {
  'pkt.made': (f, s) => ({
    what:
      f.by === 'kernel'
        ? `The kernel of ${here(s)} makes ${packetKind(f.packet)} from ${sourceOf(f.packet)} to ${destinationOf(f.packet)}`
        : `${here(s)} sends ${packetKind(f.packet)} from ${sourceOf(f.packet)} to ${destinationOf(f.packet)}`,
  }),
  'dev.rcv': (f, s) => ({ what: `Enters ${here(s)} by ${deviceName(f.dev)}` }),
  'dev.xmit': (f, s) => ({ what: `Leaves ${here(s)} by ${deviceName(f.dev)}, towards ${deviceName(f.to) || f.to}` }),
  'bridge.forward': (f) => ({
    what: `Bridge ${deviceName(f.bridge)} passes it from ${deviceName(f.in)} to ${deviceName(f.out)}`,
  }),
  'nf.station': (f) =>
    f.walked
      ? { what: `Comes to ${f.station}, priority ${f.priority}` }
      : {
          what: `${f.station} was not asked`,
          ...(f.reason === undefined ? {} : { why: `No ${f.station} rule was read: ${notWalked(f.reason)}` }),
        },
  'nf.skip': (f) => ({ what: `${plural(f.count, 'rule', 'rules')} did not match: ${skipped(f.reason)}` }),
  'nf.rule': ruleSentence,
  'nf.return': (f) => ({ what: `${f.chain} is at its end and returns to ${f.to === '' ? 'the calling chain' : f.to}` }),
  'nf.policy': (f) => ({
    what: `No rule in ${f.chain} decided; the policy is ${f.policy}`,
    why: f.policy === 'ACCEPT' ? `No rule in ${f.chain} matched, so the packet goes on` : undefined,
  }),
  'pkt.rewrite': (f, s) => ({
    what: REWRITES[f.how] ?? `Rewritten (${f.how})`,
    changed: joinedChanges(f.fields)
      .map((c) => `${fieldName(c.field)} was ${c.before}, is now ${c.after}`)
      .join('. '),
    why: s.packet !== undefined && s.packet.n > 1 && f.how !== 'reverse' ? REWRITE_WHY.entry : REWRITE_WHY[f.how],
  }),
  'pkt.mark': (f) => ({
    what: 'The mark of the packet is set',
    changed: `Mark was ${hex(f.before)}, is now ${hex(f.after)}`,
    why: 'The mark stays inside this kernel; no other machine sees it',
  }),
  'ct.new': (f) => ({
    what: `New connection, entry noted: ${tupleText(f.ct.orig)}`,
    why: 'No entry fits this packet; the new one enters the table at confirm',
  }),
  'ct.found': (f) => ({
    what: `Belongs to a known connection, ${entryOf(f.dir)}`,
    changed:
      f.stateBefore !== undefined && f.ct.state !== undefined && f.stateBefore !== f.ct.state
        ? `State was ${f.stateBefore}, is now ${f.ct.state}`
        : undefined,
    why: `The entry says ${tupleText(f.dir === 'original' ? f.ct.orig : f.ct.reply)}, as the packet does`,
  }),
  'ct.invalid': (f) => ({ what: `INVALID for the connection table: ${f.why}` }),
  'ct.untracked': () => ({ what: 'Not tracked: the connection table is not asked' }),
  'ct.nat': (f) => ({
    what: `The entry takes down the translation of the ${f.manip === 'dst' ? 'destination' : 'source'}`,
    changed: `The reply will come as ${tupleText(f.ct.reply)}`,
  }),
  'ct.confirm': (f) => ({
    what: `The entry enters the table: ${plural(f.count, 'row', 'rows')} now`,
    changed: `Original ${tupleText(f.ct.orig)}, reply ${tupleText(f.ct.reply)}`,
    why: `The packet leaves this node, so its entry is confirmed; it lives ${seconds(f.timeoutUs)} without a further packet`,
  }),
  'ct.full': (f) => ({
    what: `The connection table is full: ${num(f.count)} of ${num(f.max)} entries in use`,
    why: `nf_conntrack_max is ${num(f.max)}, all are in use, and no entry near this packet's bucket may be evicted, so it gets none`,
  }),
  'ct.evict': (f) => ({
    what:
      f.why === 'early-drop'
        ? `An entry that is not ASSURED gives way: ${tupleText(f.ct.orig)}`
        : `The sweep removes the entry of a closing connection: ${tupleText(f.ct.orig)}`,
  }),
  'ct.destroy': (f) => ({ what: `Entry ${tupleText(f.ct.orig)} is removed (${f.why})` }),
  'ct.clash': (f) => ({
    what: f.resolved
      ? 'Another packet confirmed the same tuple first; this one takes over its entry'
      : 'Another packet confirmed the same tuple first; this one loses its entry',
  }),
  route: (f) => {
    const to = f.packet.ip.dst;
    if (f.result === 'local') return { what: `Route to ${to}: this machine has that address` };
    if (f.oif === undefined) return { what: `Route to ${to}: ${f.result}` };
    const via = f.via === undefined ? 'on this link' : `next hop ${f.via}`;
    return {
      what: `Route to ${to}: out by ${deviceName(f.oif)}, ${via}`,
      why: f.routeKey === undefined ? undefined : `The line ${routeText(f.routeKey)} fits ${to} best`,
    };
  },
  'pkt.deliver': (f, s) => ({
    what: `Reached ${here(s)}, ${destinationOf(f.packet)}`,
    why: `It sees the source ${named(s, f.packet.ip.src, portOf(l4Field(f.packet, 'sport')))}`,
  }),
  'pkt.drop': (f) => ({
    what: `${f.cause.answered === undefined ? 'Dropped' : 'Rejected'}: ${dropWhy(f.cause.reason)}`,
    why: `The sender ${symptom(f.symptom)}`,
  }),
  'sock.state': (f) => ({
    what: `Socket ${f.proto}`,
    changed: `State was ${f.before}, is now ${f.after}`,
  }),
  'proc.start': (f) => ({ what: `Starts: ${f.argv.join(' ')}` }),
  'proc.output': (f) => ({ what: `Prints${f.fd === 2 ? ' to stderr' : ''}: ${oneLine(f.text)}` }),
  'proc.exit': (f) => ({ what: `The process ends with exit code ${f.exit}` }),
  'dns.lookup': (f) => ({
    what: `Looks up ${f.name}`,
    why: `Names tried in order: ${f.candidates.join(', ')}`,
  }),
  'dns.query': (f) => ({ what: `Asks ${f.server} for ${f.type} ${f.name}` }),
  'dns.answer': (f) => ({
    what:
      f.answers.length === 0
        ? `${f.rcode} for ${f.type} ${f.name}, no record`
        : `${f.type} ${f.name} is ${f.answers.join(', ')}`,
  }),
  'kernel.log': (f) => ({ what: `Kernel log: ${f.line}` }),
  'sysctl.set': (f) => ({ what: `${f.key} is set`, changed: `Value was ${f.before}, is now ${f.after}` }),
  'link.set': (f) => ({ what: `${deviceName(f.dev)} is set ${f.up ? 'up' : 'down'}` }),
  'nf.ruleset': (f) => ({
    what: `${f.by} writes rules (${f.tables.join(', ')})`,
    changed: `Rules were ${num(f.rulesBefore)}, are now ${num(f.rulesAfter)}`,
  }),
  'api.write': (f) => ({
    what: `The API server stores ${f.kind} ${objectName(f.namespace, f.name)}: ${f.verb} by ${f.by}, resourceVersion ${f.resourceVersion}`,
  }),
  'ctl.sync': (f) => ({
    what: `${f.controller} looks at ${f.key}: ${f.changed ? 'writes a change' : 'nothing to change'}`,
  }),
  'proxy.notice': (f) => ({
    what: `kube-proxy on ${f.node} hears of ${f.kind} ${objectName(f.namespace, f.name)}`,
  }),
  'proxy.sync': (f) => ({
    what: `kube-proxy on ${f.node} writes ${f.full ? 'all rules' : 'what changed'}: ${plural(f.services, 'Service', 'Services')}, ${plural(f.endpoints, 'endpoint', 'endpoints')}, ${f.mode} mode`,
  }),
  'proxy.synced': (f) => ({
    what: `kube-proxy on ${f.node} is in sync`,
    changed: `Rules were ${num(f.rulesBefore)}, are now ${num(f.rulesAfter)}`,
  }),
  'command.start': (f) => ({ what: `${f.place}: ${f.line}` }),
  'command.end': (f) => ({ what: `The command ends with exit code ${f.exit}` }),
  'state.changed': (f) => ({ what: `${plural(f.count, 'record changes', 'records change')} without a packet` }),
  assumed: (f) => ({ what: `Uncertain: ${f.what} is unknown`, why: `The run goes on assuming ${f.assumption}` }),
};

const REWRITES: Readonly<Record<string, string>> = {
  dnat: 'The destination is rewritten',
  snat: 'The source is rewritten',
  masquerade: 'The source is rewritten',
  reverse: 'The entry translates back',
  icmp: 'The entry translates the ICMP error',
  nat: 'The entry translates',
  entry: 'The entry translates',
  ttl: 'One router further',
  mark: 'The mark is rewritten',
};
const REWRITE_WHY: Readonly<Record<string, string | undefined>> = {
  dnat: 'The rule chose the new destination; the entry keeps both, for the reply',
  snat: 'The entry keeps both sources, so the reply finds its way back',
  icmp: 'The packet that the error quotes is translated back too',
  masquerade: 'The mark 0x4000 was set, so the source becomes the address of the device the packet leaves by',
  reverse: 'The entry remembers what this connection asked for, so the packet gets it back; no nat rule was read',
  nat: 'The entry made by the first packet says so; no nat rule was read',
  entry: 'The entry made by the first packet says so; no nat rule was read',
};

const portOf = (v: unknown): number | undefined => (typeof v === 'number' ? v : undefined);
const oneLine = (text: string): string => {
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.length === 1
    ? (lines[0] as string)
    : `${lines[0]} and ${plural(lines.length - 1, 'line', 'lines')} more`;
};
const objectName = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}/${name}`);

function ruleSentence(f: Parameters<Catalogue['nf.rule']>[0]): Told {
  const rule = `Rule ${f.number}`;
  const effect = effectOf(f);
  if (f.draw !== undefined) {
    const { drew, needs } = drawText(f.draw.value, f.draw.below);
    const result = f.matched ? `matched, so the packet ${does(effect)}` : 'not matched';
    const sentence = `${rule} drew ${drew} and needs less than ${needs}: ${f.matched ? 'matched' : 'not matched'}`;
    return {
      what: sentence,
      why: f.matched ? `${drew} is below ${needs}: ${result}` : `${drew} is not below ${needs}`,
    };
  }
  if (!f.matched) {
    const c = failedCondition(f.matches);
    return { what: `${rule} did not match`, why: c === undefined ? undefined : `${rule} wants ${wants(c)}` };
  }
  const goes = effect.kind === 'jump' ? `. Goes to chain ${effect.chain}` : f.target === null ? '' : `: ${f.target}`;
  const conditions = conditionsOf(f.matches);
  const addressed = conditions.some((c) => c.field !== 'protocol');
  const protocol = conditions.find((c) => c.field === 'protocol');
  const why = addressed
    ? `${rule} matched because ${list(conditions.map(holds))}, so the packet ${does(effect)}`
    : protocol !== undefined
      ? `${rule} names no address, so every ${protocol.wanted.toUpperCase()} packet that reaches this chain ${does(effect)}`
      : `${rule} has no condition, so every packet that reaches this chain ${does(effect)}`;
  return { what: `Matched rule ${f.number}${goes}`, why };
}
