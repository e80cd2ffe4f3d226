import { NO_PAYLOAD } from '../../engine/net/types';
import { errnoText, type Lab, NODE } from './lab';

export interface SocketOp {
  readonly s?: string;
  readonly op: string;
  readonly proto?: 'tcp' | 'udp';
  readonly addr?: string;
  readonly port?: number | string;
  readonly blocking?: boolean;
  readonly timeout_s?: number;
  readonly data?: string;
  readonly bytes?: number;
  readonly max?: number;
}

const NUMBERS: Readonly<Record<string, number>> = {
  EPERM: 1,
  EAGAIN: 11,
  EACCES: 13,
  EINVAL: 22,
  ENETUNREACH: 101,
  ECONNRESET: 104,
  ETIMEDOUT: 110,
  ECONNREFUSED: 111,
  EHOSTUNREACH: 113,
  EINPROGRESS: 115,
};
const TEXTS: Readonly<Record<string, string>> = {
  EINPROGRESS: 'Operation now in progress',
  ETIMEDOUT: 'Connection timed out',
  ECONNRESET: 'Connection reset by peer',
  EAGAIN: 'Resource temporarily unavailable',
};
export const errnoWords = (errno: string): string => TEXTS[errno] ?? errnoText(errno);
const pythonError = (errno: string): string => `[Errno ${NUMBERS[errno] ?? '?'}] ${errnoWords(errno)}`;

/** Sockets of processes, driven call by call as the recorder's Python did. */
export class LabSockets {
  private readonly ids = new Map<string, string>();

  constructor(
    private readonly lab: Lab,
    private readonly netns: string = NODE,
  ) {}

  /** The process ends. */
  closeAll(): void {
    for (const id of this.ids.values()) this.lab.net.sockets.close(id);
    this.ids.clear();
    this.lab.settle();
  }

  private id(op: SocketOp): string {
    const name = op.s ?? '';
    let id = this.ids.get(name);
    if (id === undefined) {
      id = this.lab.net.sockets.socket(this.netns, op.proto ?? 'udp', { uid: 0 });
      this.ids.set(name, id);
    }
    return id;
  }

  /** Waits until `done` answers or the time is over; the answer, or undefined. */
  private until<T>(timeoutS: number, done: () => T | undefined): T | undefined {
    const { sim } = this.lab.ctx;
    const end = sim.now + Math.round(timeoutS * 1_000_000);
    let answer = done();
    while (answer === undefined && sim.now < end) {
      const next = Math.min(end, Math.max(sim.now + 1, sim.nextAtUs ?? end));
      sim.run({ untilUs: next });
      answer = done();
    }
    return answer;
  }

  /** One call; its result as words, undefined when it has none to tell. */
  call(op: SocketOp): string | undefined {
    const socks = this.lab.net.sockets;
    const id = this.id(op);
    const end = { ip: op.addr ?? '0.0.0.0', port: typeof op.port === 'number' ? op.port : 80 };
    switch (op.op) {
      case 'bind': {
        const r = socks.bind(id, end);
        return r.ok ? undefined : pythonError(r.error);
      }
      case 'connect':
        return this.connect(id, op, end);
      case 'send':
      case 'sendto': {
        const text = op.data ?? 'x'.repeat(op.bytes ?? 0);
        const payload = text === '' ? NO_PAYLOAD : { len: text.length, text };
        const r = socks.send(id, payload, op.op === 'sendto' ? end : undefined);
        this.lab.settle();
        return r.ok ? String(r.value) : pythonError(r.error);
      }
      case 'recv':
      case 'recvfrom': {
        const got = this.until(op.timeout_s ?? 1, () => {
          const r = socks.recv(id);
          return !r.ok && r.error === 'EAGAIN' ? undefined : r;
        });
        if (got === undefined) return 'timed out';
        return got.ok ? (got.value.payload.text ?? '') : pythonError(got.error);
      }
      case 'getsockname':
      case 'getpeername': {
        const rec = socks.get(id);
        const e = op.op === 'getsockname' ? rec?.local : rec?.remote;
        return e === undefined ? undefined : `('${e.ip}', ${e.port})`;
      }
      case 'close':
        socks.close(id);
        this.ids.delete(op.s ?? '');
        this.lab.settle();
        return undefined;
      default:
        return `unknown call ${op.op}`;
    }
  }

  private connect(id: string, op: SocketOp, end: { ip: string; port: number }): string | undefined {
    const socks = this.lab.net.sockets;
    const from = this.lab.ctx.sim.now;
    const r = socks.connect(id, end);
    const tcp = socks.get(id)?.proto === 'tcp';
    if (op.blocking !== true) {
      this.lab.settle();
      if (r.ok && tcp) return errnoWords('EINPROGRESS');
      return r.ok ? undefined : r.error === 'EINPROGRESS' ? errnoWords(r.error) : pythonError(r.error);
    }
    const after = (): string => ` after ${((this.lab.ctx.sim.now - from) / 1_000_000).toFixed(2)} s`;
    if (!r.ok && r.error !== 'EINPROGRESS') return pythonError(r.error) + after();
    const outcome = this.until(op.timeout_s ?? 200, () => {
      const err = socks.takeError(id);
      if (err !== undefined) return pythonError(err);
      return socks.get(id)?.state === 'ESTABLISHED' ? 'connected' : undefined;
    });
    if (outcome === 'connected') return undefined;
    return (outcome ?? 'timed out') + after();
  }
}
