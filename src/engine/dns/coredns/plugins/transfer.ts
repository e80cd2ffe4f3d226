import { type DnsMsg, type RR, replyTo } from '../../message';
import { matchZones } from '../../names';
import { plainRRLen } from '../../size';
import { origins } from '../normalize';
import {
  type Handler,
  logLine,
  nextOrFailure,
  OK,
  type PluginSpec,
  type ProcessEnv,
  qnameOf,
  qtypeOf,
  type Serve,
  type ServeCtx,
  type Writer,
} from '../plugin';

interface Xfr {
  readonly zones: readonly string[];
  readonly to: readonly string[];
}

/** Bytes of records in one message of a transfer. */
const BATCH = 63_000;

/** Hands whole zones out (AXFR, and IXFR as AXFR; plugin/transfer). */
class Transfer implements Handler {
  readonly name = 'transfer';
  constructor(
    private readonly env: ProcessEnv,
    private readonly xfrs: readonly Xfr[],
    private readonly sources: () => readonly Handler[],
    private readonly next: Handler | undefined,
  ) {}

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const type = qtypeOf(r);
    if (type !== 'AXFR' && type !== 'IXFR') return yield* nextOrFailure(this.name, this.next, ctx, w, r);
    if (w.peer.proto !== 'tcp') return { rcode: 'REFUSED' };
    const name = qnameOf(r);
    const xfr = this.xfrs.find((x) => matchZones(x.zones, name) !== '');
    if (!xfr) return yield* nextOrFailure(this.name, this.next, ctx, w, r);
    if (!xfr.to.some((t) => t === '*' || t.replace(/:[0-9]+$/, '') === w.peer.ip)) {
      w.write(replyTo(r, 'REFUSED'));
      return OK;
    }
    const serial = type === 'IXFR' ? Number(r.authority[0]?.rdata.split(' ')[2] ?? 0) : 0;
    let records: RR[] | undefined;
    for (const h of this.sources()) {
      records = h.transfer?.(name, serial);
      if (records) break;
    }
    if (!records) return yield* nextOrFailure(this.name, this.next, ctx, w, r);
    const soa = records[0]?.rdata.split(' ')[2];
    const qname = r.question[0]?.name ?? '.';
    if (records.length === 1) {
      const m = replyTo(r);
      m.answer = records;
      w.write(m);
      const text = `Outgoing noop, incremental transfer for up to date zone ${JSON.stringify(qname)}`;
      logLine(this.env, 'INFO', 'transfer', `${text} to ${w.peer.ip} for ${soa} SOA serial`);
      return OK;
    }
    for (const batch of batches(records)) {
      const m = replyTo(r);
      m.aa = true;
      m.answer = batch;
      w.write(m);
    }
    const text = `Outgoing transfer of ${records.length} records of zone ${JSON.stringify(qname)}`;
    logLine(this.env, 'INFO', 'transfer', `${text} to ${w.peer.ip} for ${soa} SOA serial`);
    return OK;
  }
}

function batches(records: readonly RR[]): RR[][] {
  const out: RR[][] = [];
  let batch: RR[] = [];
  let size = 0;
  for (const r of records) {
    const n = plainRRLen(r);
    if (batch.length > 0 && size + n > BATCH) {
      out.push(batch);
      batch = [];
      size = 0;
    }
    batch.push(r);
    size += n;
  }
  out.push(batch);
  return out;
}

export const transfer: PluginSpec = {
  name: 'transfer',
  setup(c) {
    const xfrs: Xfr[] = [];
    while (c.next()) {
      const zones = origins(c.remainingArgs(), c.keys);
      const to: string[] = [];
      while (c.nextBlock()) {
        if (c.val() !== 'to') throw c.err(`unknown property ${JSON.stringify(c.val())}`);
        const args = c.remainingArgs();
        if (args.length === 0) throw c.argErr();
        to.push(...args);
      }
      if (to.length === 0) throw c.err("'to' is required");
      xfrs.push({ zones, to });
    }
    const { registry } = c.config;
    const sources = (): Handler[] => [...registry.values()].filter((h) => h.transfer);
    c.addPlugin((next) => new Transfer(c.env, xfrs, sources, next));
  },
};
