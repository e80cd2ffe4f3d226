import type { PrngStream } from '../../../base/prng';
import { recvMsg, sendMsg } from '../../io';
import { type DnsMsg, newQuery } from '../../message';
import { isSubDomain, joinLabels } from '../../names';
import { instant, readable, sleep, type Task } from '../../tasks';
import { CorefileError } from '../corefile';
import { normalHosts } from '../normalize';
import {
  type Controller,
  ERR_ONCE,
  type Handler,
  nextOrFailure,
  type PluginSpec,
  type ProcessEnv,
  qnameOf,
  qtypeOf,
  type Serve,
  type ServeCtx,
  type Writer,
} from '../plugin';

const EXCHANGE_US = 2_000_000;

/** Asks itself a random name at the start: coming back more than twice means a loop of forwarders (plugin/loop). */
class Loop implements Handler {
  readonly name = 'loop';
  seen = 0;
  off = false;
  address = '';
  constructor(
    private readonly env: ProcessEnv,
    readonly zone: string,
    readonly qname: string,
    private readonly next: () => Handler | undefined,
  ) {}

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    if (qtypeOf(r) === 'HINFO' && !this.off && isSubDomain(this.zone, qnameOf(r))) {
      if (qnameOf(r) === this.qname) this.seen++;
      if (this.seen > 2) {
        const remote = `${w.peer.ip}:${w.peer.port}`;
        this.env.fatal(
          `[FATAL] plugin/loop: Loop (${remote} -> ${this.address}) detected for zone ${JSON.stringify(this.zone)}, ` +
            `see https://coredns.io/plugins/loop#troubleshooting. Query: "HINFO ${this.qname}"`,
        );
        return { rcode: 'SERVFAIL' };
      }
    }
    return yield* nextOrFailure(this.name, this.next(), ctx, w, r);
  }
}

/** A random number of up to 62 bits as text. */
function big(prng: PrngStream): string {
  return String((BigInt(prng.below(2 ** 30)) << 32n) | BigInt(prng.u32()));
}

function* probe(c: Controller, l: Loop): Task {
  const { sys } = c.env;
  const end = sys.nowUs + 30_000_000;
  const host = c.config.listenHosts[0] ?? '';
  l.address = `${host}:${c.config.port}`;
  while (sys.nowUs < end) {
    const fd = sys.socket('udp');
    sys.connect(fd, { ip: host === '' ? '127.0.0.1' : host, port: c.config.port });
    const q = newQuery(c.env.prng.below(65536), l.qname, 'HINFO');
    const failed = sendMsg(sys, fd, q, 'udp');
    const ready = failed === undefined && (yield* readable(fd, EXCHANGE_US));
    const got = ready ? recvMsg(sys, fd) : undefined;
    sys.close(fd);
    if (got?.kind === 'msg') {
      yield* sleep(2_000_000);
      break;
    }
    l.seen = 0;
    yield* sleep(1_000_000);
  }
  l.off = true;
}

export const loop: PluginSpec = {
  name: 'loop',
  setup(c) {
    let zone = '.';
    let seen = false;
    while (c.next()) {
      if (seen) throw new CorefileError(ERR_ONCE);
      seen = true;
      if (c.nextArg()) throw c.argErr();
      zone = normalHosts(c.keys[0] ?? '.')[0] ?? '.';
    }
    let after: Handler | undefined;
    const qname = joinLabels(big(c.env.prng), big(c.env.prng), zone);
    const handler = new Loop(c.env, zone, qname, () => after);
    c.addPlugin((next) => {
      after = next;
      return handler;
    });
    c.hooks.startup.push(() =>
      instant(() => {
        c.env.tasks.go(afterStart(c, handler));
        return undefined;
      }),
    );
  },
};

/** The probe starts beside the rest of the start-up and finds the socket open a moment later. */
function* afterStart(c: Controller, l: Loop): Task {
  yield* sleep(1000);
  yield* probe(c, l);
}
