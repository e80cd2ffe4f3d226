import type { Wait, Wake } from '../../workload/process';
import { type DnsMsg, type Edns, replyTo } from '../message';
import { messageLen, truncate } from '../size';
import {
  bufSize,
  type Config,
  clientWrite,
  type Handler,
  NonWriter,
  type ServeCtx,
  type Writer,
  withQuestion,
} from './plugin';

/** EDNS options that a server sends back as they came: NSID, EXPIRE, COOKIE, TCP-KEEPALIVE, PADDING. */
const ECHOED = new Set([3, 9, 10, 11, 12]);

/** Plugins that open the server for classes other than IN. */
const OPEN_CLASSES = ['chaos', 'forward', 'proxy'];

/** One listener: all zones served on one address, each with its chain (core/dnsserver.Server). */
export class Server {
  private readonly zones = new Map<string, { config: Config; chain: Handler | undefined }[]>();
  private anyClass = false;

  constructor(
    readonly addr: { readonly host: string; readonly port: number },
    configs: readonly Config[],
  ) {
    // Zones of one server block share their plugins.
    const built = new Map<Config['plugins'], Handler | undefined>();
    for (const config of configs) {
      let chain = built.get(config.plugins);
      if (!built.has(config.plugins)) {
        for (let i = config.plugins.length - 1; i >= 0; i--) {
          chain = (config.plugins[i] as (next: Handler | undefined) => Handler)(chain);
          config.registry.set(chain.name, chain);
          if (OPEN_CLASSES.includes(chain.name)) this.anyClass = true;
        }
        built.set(config.plugins, chain);
      }
      const list = this.zones.get(config.zone) ?? [];
      list.push({ config, chain });
      this.zones.set(config.zone, list);
    }
  }

  zoneNames(): string[] {
    return [...this.zones.keys()].sort();
  }

  private readonly ctx: ServeCtx = { lookup: (w, r, name, type) => this.lookup(w, r, name, type) };

  private *lookup(w: Writer, r: DnsMsg, name: string, type: string): Generator<Wait, DnsMsg | undefined, Wake> {
    const nw = new NonWriter(w.peer);
    yield* this.serve(nw, withQuestion(r, name, type));
    return nw.msg;
  }

  /** Answers one query: the chain of the closest zone, its answer cut to what the client can take. */
  *serve(w: Writer, r: DnsMsg): Generator<Wait, void, Wake> {
    const q = r.question[0];
    if (!q) return this.fail(w, r, 'SERVFAIL');
    if (!this.anyClass && q.class !== 'IN') return this.fail(w, r, 'REFUSED');
    if (r.edns && r.edns.version !== 0) {
      const m = replyTo(r, 'BADVERS');
      m.edns = { udp: 0, do: false, version: 0, options: [] };
      w.write(m);
      return;
    }
    const scrub = scrubWriter(r, w);
    const name = q.name.toLowerCase();
    let ds: Handler | undefined;
    for (let off = 0; ; ) {
      for (const z of this.zones.get(name.slice(off)) ?? []) {
        if (!z.chain) return this.fail(w, r, 'REFUSED');
        if (q.type !== 'DS') {
          yield* this.run(z.chain, scrub, r);
          return;
        }
        // A DS record belongs to the parent's zone, which may be here as well.
        ds = z.chain;
      }
      const dot = name.indexOf('.', off);
      if (dot < 0 || dot + 1 >= name.length) break;
      off = dot + 1;
    }
    if (ds) {
      yield* this.run(ds, scrub, r);
      return;
    }
    const root = this.zones.get('.')?.find((z) => z.chain)?.chain;
    if (!root) return this.fail(w, r, 'REFUSED');
    yield* this.run(root, scrub, r);
  }

  private *run(chain: Handler, w: Writer, r: DnsMsg): Generator<Wait, void, Wake> {
    const result = yield* chain.serve(this.ctx, w, r);
    if (!clientWrite(result.rcode)) this.fail(w, r, result.rcode);
  }

  private fail(w: Writer, r: DnsMsg, rcode: string): void {
    const m = replyTo(r, rcode);
    if (r.edns) m.edns = sizeAndDo(m.edns, r.edns);
    w.write(m);
  }
}

/** The answer's OPT record by the query's (request.SizeAndDo). */
function sizeAndDo(own: Edns | undefined, asked: Edns): Edns {
  if (own) return { udp: asked.udp, do: asked.do, version: 0, options: own.options };
  return { udp: asked.udp, do: asked.do, version: 0, options: asked.options.filter((o) => ECHOED.has(o.code)) };
}

function scrubWriter(r: DnsMsg, w: Writer): Writer {
  return {
    peer: w.peer,
    write: (m) => {
      if (r.edns) m.edns = sizeAndDo(m.edns, r.edns);
      truncate(m, bufSize(r, w.peer.proto));
      // Above the size where IP fragments, names are compressed although the answer would fit (request.Scrub).
      if (!m.compress && w.peer.proto === 'udp' && messageLen(m) > (w.peer.ip.includes(':') ? 1220 : 1480))
        m.compress = true;
      w.write(m);
    },
  };
}
