import type { Message } from '../../../engine/dns/message';
import type { SockAddr, Wait, Wake } from '../../../engine/workload/process';

/** What crossed a wire between two hosts of the lab: messages, connection set-up and refusals. */
export type Seen =
  | {
      readonly kind: 'dns';
      readonly atUs: number;
      readonly proto: 'udp' | 'tcp';
      readonly src: SockAddr;
      readonly dst: SockAddr;
      readonly msg: Message | undefined;
      /** Bytes of hand-made datagrams. */
      readonly bytes: string | undefined;
      readonly len: number;
    }
  | { readonly kind: 'syn' | 'rst'; readonly atUs: number; readonly src: SockAddr; readonly dst: SockAddr }
  | { readonly kind: 'icmp'; readonly atUs: number; readonly src: string; readonly dst: string };

/** A server that is no process: it sees a query and says after how long it answers what; undefined: silence. */
export type Toy = (
  q: Message,
  proto: 'udp' | 'tcp',
) => { readonly reply: Message; readonly delayUs: number } | undefined;

export interface Datum {
  readonly msg: Message | undefined;
  readonly bytes: string;
  readonly from: SockAddr | undefined;
}

export interface Socket {
  fd: number;
  readonly proc: Proc;
  readonly proto: 'udp' | 'tcp';
  local: SockAddr | undefined;
  remote: SockAddr | undefined;
  listening: boolean;
  connected: boolean;
  peer: Socket | Toy | undefined;
  eof: boolean;
  error: string | undefined;
  readonly queue: Datum[];
  readonly backlog: Socket[];
  /** Which of the host's addresses each client spoke to, so that the answer comes from there. */
  readonly spokenTo: Map<string, string>;
}

export interface Proc {
  readonly host: Host;
  readonly gen: Generator<Wait, number, Wake>;
  wait: Wait | undefined;
  epoch: number;
  exit: number | undefined;
  readonly sockets: Map<number, Socket>;
  nextFd: number;
  readonly onExit: ((code: number) => void) | undefined;
}

export interface Host {
  readonly name: string;
  readonly ips: readonly string[];
  readonly toy: Toy | undefined;
  /** No ICMP error and no reset for closed ports. */
  readonly mute: boolean;
  readonly sockets: Set<Socket>;
  nextPort: number;
}

export interface ProcHandle {
  readonly exit: () => number | undefined;
  signal(signal: 'INT' | 'TERM' | 'KILL'): void;
}

export interface SpawnOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
  readonly files: (path: string) => string | undefined;
  readonly output: (fd: 1 | 2, text: string) => void;
  readonly onExit?: (code: number) => void;
}
