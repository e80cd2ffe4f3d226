import { hash32 } from '../../base/hash';
import { IPPROTO } from '../../net/types';
import type { CtEvent } from '../conntrack/namespace';
import { type CtEntry, type CtTuple, IPCT, IPS, stateName } from '../conntrack/types';

const NAMES: Readonly<Record<number, string>> = {
  1: 'icmp',
  6: 'tcp',
  17: 'udp',
  33: 'dccp',
  47: 'gre',
  58: 'icmpv6',
  132: 'sctp',
  136: 'udplite',
};
export const ctProtoName = (proto: number): string => NAMES[proto] ?? 'unknown';

/** Seconds left, as ctnetlink tells them (whole seconds, never negative). */
export const secondsLeft = (e: CtEntry, nowUs: number): number =>
  Math.max(0, Math.floor((e.expiresAtUs - nowUs) / 1_000_000));

/** The number that `-o id` prints; stable for an entry's life. */
export const ctId = (e: CtEntry): number => hash32(e.id, e.proto);

function tupleText(t: CtTuple, proto: number): string {
  const head = `src=${t.src} dst=${t.dst} `;
  if (proto === IPPROTO.icmp || proto === IPPROTO.icmpv6) {
    return `${head}type=${t.dport >> 8} code=${t.dport & 255} id=${t.sport} `;
  }
  if (NAMES[proto] === undefined) return head;
  return `${head}sport=${t.sport} dport=${t.dport} `;
}

export interface EntryFormat {
  readonly extended?: boolean;
  readonly id?: boolean;
  /** /proc/net/nf_conntrack: with the zone. */
  readonly proc?: boolean;
  /** Somebody holds the entry while it is printed (a single entry that was asked for, /proc): its use count is 2. */
  readonly held?: boolean;
}

/** Protocol, seconds and state in front of the tuples. */
function headText(e: CtEntry, left: number | undefined, withState: boolean, extended: boolean): string {
  const l3 = extended ? `${(e.family === 4 ? 'ipv4' : 'ipv6').padEnd(8)} ${e.family === 4 ? 2 : 10} ` : '';
  const state = withState ? stateName(e) : undefined;
  return `${l3}${ctProtoName(e.proto).padEnd(8)} ${e.proto} ${left === undefined ? '' : `${left} `}${state === undefined ? '' : `${state} `}`;
}

function tuplesText(e: CtEntry): string {
  const acct = (i: 0 | 2): string => (e.acct ? `packets=${e.acct[i]} bytes=${e.acct[i + 1]} ` : '');
  const unreplied = e.status & IPS.SEEN_REPLY ? '' : '[UNREPLIED] ';
  const assured = e.status & IPS.ASSURED ? '[ASSURED] ' : '';
  const zone = e.zone === 0 ? '' : `zone=${e.zone} `;
  return `${tupleText(e.orig, e.proto)}${acct(0)}${unreplied}${tupleText(e.reply, e.proto)}${acct(2)}${assured}${zone}`;
}

/** One line of conntrack -L, without line feed. */
export function entryText(e: CtEntry, nowUs: number, f: EntryFormat = {}): string {
  const delta = e.startUs === undefined ? '' : `delta-time=${Math.floor((nowUs - e.startUs) / 1_000_000)} `;
  const zone = f.proc ? `zone=${e.zone} ` : '';
  const tuples = f.proc && e.zone !== 0 ? tuplesText(e).replace(`zone=${e.zone} `, '') : tuplesText(e);
  const id = f.id ? ` id=${ctId(e)}` : '';
  return `${headText(e, secondsLeft(e, nowUs), true, f.extended === true || f.proc === true)}${tuples}mark=${e.mark} ${zone}${delta}use=${f.proc || f.held ? 2 : 1}${id}`;
}

/** One line of conntrack -E, without line feed; `portid` stands for the program that did it. */
export function ctEventText(
  ev: CtEvent,
  f: EntryFormat & { readonly timestamp?: string; readonly portid?: number } = {},
): string {
  const { entry: e, mask } = ev;
  const left = secondsLeft(e, ev.atUs);
  const state = ev.type !== 'UPDATE' || (mask & IPCT.PROTOINFO) !== 0;
  const shown = ev.type === 'DESTROY' && left === 0 ? undefined : left;
  const mark = e.mark !== 0 || (mask & IPCT.MARK) !== 0 ? `mark=${e.mark} ` : '';
  const user = ev.userspace ? `[USERSPACE] portid=${f.portid ?? 1} ` : '';
  const line = `${headText(e, shown, state, f.extended === true)}${tuplesText(e)}${mark}${user}`.trimEnd();
  const ts = f.timestamp === undefined ? '' : `[${f.timestamp}]\t`;
  return `${ts}${`[${ev.type}]`.padStart(9)} ${line}${f.id ? ` id=${ctId(e)}` : ''}`;
}

/** -o save: the entry as a command. */
export function saveEntry(e: CtEntry, nowUs: number): string {
  const status = [...(e.status & IPS.SEEN_REPLY ? ['SEEN_REPLY'] : []), ...(e.status & IPS.ASSURED ? ['ASSURED'] : [])];
  const out = [
    '-A',
    `-t ${secondsLeft(e, nowUs)}`,
    `-u ${status.length === 0 ? 'UNSET' : status.join(',')}`,
    `-s ${e.orig.src}`,
    `-d ${e.orig.dst}`,
    e.reply.src === e.orig.dst ? `-r ${e.reply.src}` : `-g ${e.reply.src}`,
    e.reply.dst === e.orig.src ? `-q ${e.reply.dst}` : `-n ${e.reply.dst}`,
    `-p ${ctProtoName(e.proto) === 'unknown' ? e.proto : ctProtoName(e.proto)}`,
  ];
  if (e.proto === IPPROTO.icmp) {
    out.push(`--icmp-type ${e.orig.dport >> 8}`, `--icmp-code ${e.orig.dport & 255}`, `--icmp-id ${e.orig.sport}`);
  } else if (NAMES[e.proto] !== undefined) {
    out.push(
      `--sport ${e.orig.sport}`,
      `--dport ${e.orig.dport}`,
      `--reply-port-src ${e.reply.sport}`,
      `--reply-port-dst ${e.reply.dport}`,
    );
  }
  const state = stateName(e);
  if (state !== undefined) out.push(`--state ${state}`);
  if (e.mark !== 0) out.push(`-m ${e.mark}`);
  if (e.zone !== 0) out.push(`-w ${e.zone}`);
  return out.join(' ');
}

/** -o xml: one flow element. */
export function xmlEntry(e: CtEntry, nowUs: number): string {
  const l3 = e.family === 4 ? 'protonum="2" protoname="ipv4"' : 'protonum="10" protoname="ipv6"';
  const dir = (name: string, t: CtTuple): string => {
    const ports =
      e.proto === IPPROTO.icmp || NAMES[e.proto] === undefined
        ? ''
        : `<sport>${t.sport}</sport><dport>${t.dport}</dport>`;
    return `<meta direction="${name}"><layer3 ${l3}><src>${t.src}</src><dst>${t.dst}</dst></layer3><layer4 protonum="${e.proto}" protoname="${ctProtoName(e.proto)}">${ports}</layer4></meta>`;
  };
  const state = stateName(e);
  const flags = `${e.status & IPS.SEEN_REPLY ? '' : '<unreplied/>'}${e.status & IPS.ASSURED ? '<assured/>' : ''}`;
  return `<flow>${dir('original', e.orig)}${dir('reply', e.reply)}<meta direction="independent">${
    state === undefined ? '' : `<state>${state}</state>`
  }<timeout>${secondsLeft(e, nowUs)}</timeout><mark>${e.mark}</mark><use>1</use><id>${ctId(e)}</id>${flags}</meta></flow>`;
}
