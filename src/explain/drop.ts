import type { Span, TraceEvent } from '../engine/trace/events';
import type { FactsOf } from '../engine/trace/kinds';
import { destinationOf, l4Field, packetKind, sourceOf } from './format';
import type { Lang, Text } from './lang';
import { language } from './languages';
import { placeText } from './narrate';

/** Where a packet died, of what, and what its sender sees. */
export interface DropCard {
  /** `Dropped`, or `Rejected` when somebody answered. */
  readonly title: string;
  /** The packet in a line. */
  readonly packet: string;
  readonly place: string;
  readonly cause: string;
  /** Whether the packet is silent, and what the sender notices. */
  readonly client: string;
  /** What programs print in this case, as recorded; placeholders already filled. */
  readonly prints: readonly string[];
}

/**
 * Error texts of programs per symptom, recorded with curl 7.88.1, nc 1.219 and ping of iputils 20221126.
 * `{ip}` and `{port}` are the address that the program dialled.
 */
const PRINTS: Readonly<Record<string, readonly string[]>> = {
  timeout: ['curl: (28) Failed to connect to {ip} port {port} after 2001 ms: Timeout was reached'],
  refused: [
    "curl: (7) Failed to connect to {ip} port {port} after 0 ms: Couldn't connect to server",
    'nc: connect to {ip} port {port} (tcp) failed: Connection refused',
  ],
  unreachable: [
    "curl: (7) Failed to connect to {ip} port {port} after 0 ms: Couldn't connect to server",
    'nc: connect to {ip} port {port} (tcp) failed: No route to host',
  ],
  ENETUNREACH: ['nc: connect to {ip} port {port} (tcp) failed: Network is unreachable'],
  reset: ['curl: (56) Recv failure: Connection reset by peer'],
};

const SYMPTOM_FAMILY: Readonly<Record<string, string>> = {
  icmp: 'refused',
  nothing: 'timeout',
  ETIMEDOUT: 'timeout',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ECONNRESET: 'reset',
};

const TITLES: Readonly<Record<'dropped' | 'rejected', Text>> = {
  dropped: { en: 'Dropped', zh: '丢弃' },
  rejected: { en: 'Rejected', zh: '拒绝' },
};

/** The card of a `pkt.drop` event. `dialled`: the address the program asked for, if the packet was rewritten since. */
export function dropCard(
  e: TraceEvent,
  { lang, spans }: { readonly lang: Lang; readonly spans: readonly Span[] },
  dialled?: { readonly ip: string; readonly port?: number },
): DropCard | undefined {
  if (e.kind !== 'pkt.drop') return undefined;
  const f = e.facts as unknown as FactsOf<'pkt.drop'>;
  const ip = dialled?.ip ?? f.packet.ip.dst;
  const dport = l4Field(f.packet, 'dport');
  const port = dialled?.port ?? (typeof dport === 'number' ? dport : undefined);
  const family = SYMPTOM_FAMILY[f.symptom] ?? f.symptom;
  const prints = (PRINTS[family] ?? [])
    .filter((line) => port !== undefined || !line.includes('{port}'))
    .map((line) => line.replace('{ip}', ip).replace('{port}', String(port)));
  const sender = f.packet.ip.src;
  const { dropWhy, symptom } = language(lang);
  const stop = lang === 'zh' ? '。' : '.';
  return {
    title: TITLES[f.cause.answered === undefined ? 'dropped' : 'rejected'][lang],
    packet: `${packetKind(f.packet)}, ${sourceOf(f.packet)} -> ${destinationOf(f.packet)}`,
    place: placeText(e, lang, spans),
    cause: `${capital(dropWhy(f.cause.reason))}${stop}`,
    client: `${sender} ${symptom(f.symptom)}${stop}`,
    prints,
  };
}

const capital = (s: string): string => s.slice(0, 1).toUpperCase() + s.slice(1);
