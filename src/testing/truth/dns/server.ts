import type { KubeSource } from '../../../engine/dns/coredns/kubernetes/source';
import { recvMsg, sendMsg } from '../../../engine/dns/io';
import { type DnsMsg, newMsg, opcodeName } from '../../../engine/dns/message';
import type { Os } from '../../../engine/dns/os';
import { readable } from '../../../engine/dns/tasks';
import { hexBytes } from '../../../engine/dns/wire';
import type { Wait, Wake } from '../../../engine/workload/process';
import type { TruthFiles, TruthOutcome, Wanted } from '../types';
import { transactions, type WireEntry } from './capture';
import { linesDiff, maskLog, wireDiff } from './compare';
import { CoreLab } from './core';

export interface QueryOptions {
  readonly edns?: number;
  readonly do?: boolean;
  readonly qclass?: string;
  readonly rd?: boolean;
  readonly cd?: boolean;
  readonly ad?: boolean;
  readonly opcode?: number;
}
export interface ServerRecord {
  readonly id: string;
  readonly corefile: string;
  readonly query: {
    readonly name: string;
    readonly type: string;
    readonly transport?: 'udp' | 'tcp';
    readonly from: { readonly namespace: string; readonly podIP: string };
    readonly options?: QueryOptions;
    readonly raw_hex?: string;
    readonly asked_after_s?: readonly (number | ({ readonly sleep: number } & QueryOptions))[];
  };
  readonly wire: readonly WireEntry[];
  readonly session: string;
  readonly order: number;
  readonly log?: readonly string[];
  readonly client_result?: string;
}

/** Time between two records of a session: the recorder waits a little for stray packets (ms). */
const GAP_MS = 90;
/** Work of the recorder between two queries (ms). */
const CLIENT_MS = 3;

export function buildQuery(name: string, type: string, o: QueryOptions, id: number): DnsMsg {
  const m = newMsg();
  m.id = id;
  m.rd = o.rd ?? true;
  m.cd = o.cd ?? false;
  m.ad = o.ad ?? false;
  m.question = [{ name, type, class: o.qclass ?? 'IN' }];
  if (o.opcode !== undefined) m.opcode = opcodeName(o.opcode);
  if (o.edns) m.edns = { udp: o.edns, do: o.do ?? false, version: 0, options: [] };
  return m;
}

/** A client that sends one query (or hand-made bytes) and waits for the answer. */
export function* askOnce(
  sys: Os,
  src: string,
  query: DnsMsg | string,
  proto: 'udp' | 'tcp',
  timeoutUs: number,
  done: (m: DnsMsg | undefined, error?: string) => void,
  keep = false,
): Generator<Wait, number, Wake> {
  const fd = sys.socket(proto);
  sys.bind(fd, { ip: src, port: 0 });
  sys.connect(fd, { ip: '10.96.0.10', port: 53 });
  if (proto === 'tcp') {
    yield { kind: 'poll', fds: [{ fd, events: 'out' }], timeoutUs };
    const errno = sys.sockError(fd);
    if (errno) {
      sys.close(fd);
      done(undefined, errno);
      return 1;
    }
  }
  if (typeof query === 'string') sys.send(fd, query);
  else sendMsg(sys, fd, query, proto);
  const ready = yield* readable(fd, timeoutUs);
  const got = ready ? recvMsg(sys, fd) : undefined;
  if (proto === 'tcp') while (recvMsg(sys, fd).kind === 'none' && (yield* readable(fd, 1000)));
  if (keep) while (yield* readable(fd, 500_000)) if (['eof', 'error'].includes(recvMsg(sys, fd).kind)) break;
  sys.close(fd);
  done(got?.kind === 'msg' ? got.msg : undefined, got?.kind === 'error' ? got.errno : undefined);
  return 0;
}

/** Asks one record's query in a running lab and says how what happened differs. */
function ask(core: CoreLab, r: ServerRecord): string | undefined {
  core.logLines();
  core.lab.seen.length = 0;
  const steps = r.query.asked_after_s ?? [0];
  const tcp = r.query.transport === 'tcp';
  let answered = false;
  const timeout = r.client_result ? Number(/within ([\d.]+) s/.exec(r.client_result)?.[1] ?? 2) : 15;
  for (const step of steps) {
    const options = { ...r.query.options, ...(typeof step === 'number' ? {} : step) };
    const pause = typeof step === 'number' ? step : step.sleep;
    if (pause > 0) core.waitMs(pause * 1000);
    const id = core.prng.below(65536);
    const q = r.query.raw_hex ? hexBytes(r.query.raw_hex) : buildQuery(r.query.name, r.query.type, options, id);
    let ended = false;
    const client = (sys: Os): Generator<Wait, number, Wake> =>
      askOnce(
        sys,
        r.query.from.podIP,
        q,
        tcp ? 'tcp' : 'udp',
        timeout * 1_000_000,
        (m) => {
          ended = true;
          answered ||= m !== undefined;
        },
        tcp && (r.query.type === 'AXFR' || r.query.type === 'IXFR'),
      );
    core.lab.spawn(core.pod(r.query.from.podIP), client, { argv: [], files: () => undefined, output: () => undefined });
    core.waitMs(timeout * 1000 + 1000, () => ended);
    core.waitMs(CLIENT_MS);
  }
  core.waitMs(80);
  const got = transactions(core.lab.seen);
  const log = core.logLines();
  core.waitMs(GAP_MS - 80);
  const shuffled = /^\s*loadbalance\b/m.test(core.corefile ?? '');
  const diff = wireDiff(r.wire, got, { shuffled });
  if (diff) return diff;
  if (r.client_result !== undefined && answered) return `client_result: want ${r.client_result}, got an answer`;
  return linesDiff('log', (r.log ?? []).map(maskLog), log.map(maskLog));
}

/** Replays server/**: records of a session in one process, in their order. */
export function* replayServer(files: TruthFiles, wanted: Wanted, kube: KubeSource): Generator<TruthOutcome> {
  const groups = new Map<string, ServerRecord[]>();
  for (const folder of files.list('server')) {
    for (const f of files.list(`server/${folder.replace(/\/$/, '')}`)) {
      const text = files.read(`server/${folder.replace(/\/$/, '')}/${f}`);
      if (!f.endsWith('.json') || text === undefined) continue;
      const r = JSON.parse(text) as ServerRecord;
      const key = r.session === 'own' ? `own ${r.id}` : `${r.corefile} ${r.session}`;
      groups.set(key, [...(groups.get(key) ?? []), r]);
    }
  }
  for (const key of [...groups.keys()].sort()) {
    const records = (groups.get(key) ?? []).sort((a, b) => a.order - b.order);
    if (!records.some((r) => wanted(`server/${r.id}`))) continue;
    const first = records[0] as ServerRecord;
    const core = new CoreLab(7);
    core.start({ corefile: files.read(first.corefile) ?? '', kube });
    core.waitReady();
    for (const r of records) {
      const difference = ask(core, r);
      const id = `server/${r.id}`;
      yield difference === undefined ? { id, ok: true } : { id, ok: false, difference };
      if (r.id.includes('slow7')) core.waitMs(6000);
    }
  }
}
