import type { KubeSource } from '../../../engine/dns/coredns/kubernetes/source';
import type { Message } from '../../../engine/dns/message';
import { bbNslookup } from '../../../engine/dns/programs/bbnslookup';
import { dig } from '../../../engine/dns/programs/dig';
import { getent } from '../../../engine/dns/programs/getent';
import { host } from '../../../engine/dns/programs/host';
import { nslookup } from '../../../engine/dns/programs/nslookup';
import { instant } from '../../../engine/dns/tasks';
import type { Program } from '../../../engine/workload/process';
import { programs } from '../../../engine/workload/programs';
import type { TruthFiles, TruthOutcome, Wanted } from '../types';
import { transactions, type WireEntry } from './capture';
import { linesDiff, nearMs } from './compare';
import { CoreLab } from './core';
import { POD_HOSTS, warm } from './resolver';
import { node, python } from './scripts';

interface CliEntry {
  readonly t_ms: number;
  readonly qname?: string;
  readonly qtype?: string;
  readonly rcode?: string | null;
  readonly server?: string;
  readonly proto?: string;
  readonly event?: string;
}
interface CliRecord {
  readonly id: string;
  readonly cmd: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | string;
  readonly elapsed_ms: number;
  readonly resolv_conf: string;
  readonly wire_records: readonly CliEntry[];
  readonly volatile: readonly string[];
  readonly lines: 'list' | 'set' | 'count';
}

const CLIENT = '10.244.1.50';
const COREFILE = 'corefiles/kubeadm.Corefile';

const FILES: Readonly<Record<string, string>> = { '/etc/hosts': POD_HOSTS };

const cat: Program = (sys) =>
  instant(() => {
    sys.write(1, sys.readFile(sys.argv[1] ?? '') ?? '');
    return 0;
  });

/** The programs of the client pod by name. */
const PROGRAMS: Readonly<Record<string, Program | undefined>> = {
  dig,
  nslookup,
  host,
  getent,
  cat,
  node,
  python3: python,
  curl: programs.curl,
  ping: programs.ping,
};
const APPLETS: Readonly<Record<string, Program | undefined>> = { nslookup: bbNslookup, ping: programs.busybox };

/** Words of a command line; double quotes hold one together. */
const words = (cmd: string): string[] => (cmd.match(/"[^"]*"|\S+/g) ?? []).map((w) => w.replace(/^"|"$/g, ''));

/** Time for which a program is loaded (us): recorded runs in which nothing waits took up to half a second. */
const START_US = 250_000;

interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | undefined;
  readonly elapsedMs: number;
  readonly wire: readonly WireEntry[];
}

export function runRecord(core: CoreLab, r: CliRecord): Run {
  const { lab } = core;
  const all = words(r.cmd);
  const applet = all[0] === 'busybox';
  const argv = applet ? all.slice(1) : all;
  const program = (applet ? APPLETS : PROGRAMS)[argv[0] ?? ''];
  if (!program) throw new Error(`no program ${r.cmd}`);
  lab.seen.length = 0;
  let stdout = '';
  let stderr = '';
  let exit: number | undefined;
  const t0 = lab.nowUs;
  core.waitMs(START_US / 1000);
  if (applet && argv[0] === 'nslookup') lab.steer = answerOrder(r.stdout, lab.nowUs);
  lab.spawn(core.pod(CLIENT), program, {
    argv,
    files: (path) => (path === '/etc/resolv.conf' ? r.resolv_conf : FILES[path]),
    output: (fd, text) => {
      if (fd === 1) stdout += text;
      else stderr += text;
    },
    onExit: (code) => {
      exit = code;
    },
  });
  core.waitMs(90_000, () => exit !== undefined);
  const elapsedMs = (lab.nowUs - t0) / 1000;
  lab.steer = undefined;
  core.waitMs(30);
  const mine = transactions(lab.seen).filter((e) => e.client === CLIENT || e.event !== undefined);
  // The recorder read texts with universal newlines.
  const text = (t: string): string => t.replace(/\r\n?/g, '\n');
  return { stdout: text(stdout), stderr: text(stderr), exit, elapsedMs, wire: mine };
}

/**
 * CoreDNS answers questions that come together in an order of chance: it is read off what busybox printed, one
 * paragraph an answer.
 */
function answerOrder(stdout: string, startUs: number): (m: Message) => number | undefined {
  const paragraphs: string[] = [];
  let open = '';
  for (const line of stdout.split('\n').slice(3, -1)) {
    if (line !== '') open += `${line}\n`;
    else {
      paragraphs.push(open);
      open = '';
    }
  }
  const signature = (text: string): string => {
    const failed = /^\*\* server can't find (\S+): /m.exec(text);
    if (failed) return `${failed[1]} failed`;
    const found = /^Name:\t(\S+)\nAddress: (\S+)$/m.exec(text);
    return found ? `${found[1]} ${found[2]?.includes(':') ? 'AAAA' : 'A'}` : '';
  };
  const order = paragraphs.map(signature);
  const used = new Map<Message, number>();
  return (m) => {
    const known = used.get(m);
    if (known !== undefined) return startUs + known * 200;
    const name = (m.question[0]?.name ?? '').replace(/\.$/, '');
    const address = m.answer.find((a) => a.type === 'A' || a.type === 'AAAA');
    const own =
      m.rcode !== 'NOERROR' ? `${name} failed` : address ? `${address.name.replace(/\.$/, '')} ${address.type}` : '';
    const at = order.findIndex((s, i) => s === own && ![...used.values()].includes(i + 1));
    if (at < 0 || m.rcode === 'SERVFAIL') return undefined;
    used.set(m, at + 1);
    return startUs + (at + 1) * 200;
  };
}

/** Questions that had been asked of this CoreDNS before, as the recorded text tells by TTLs and flags. */
function warmUps(r: CliRecord): { name: string; type: string; ageUs: number }[] {
  const out = new Map<string, { name: string; type: string; ageUs: number }>();
  const external = r.wire_records.filter(
    (e) => e.qname !== undefined && e.server === '10.96.0.10' && !/(^|\.)cluster\.local\.$/i.test(e.qname),
  );
  const cached = /^;; flags: qr aa rd ra;/m.test(r.stdout) || /^Address:.*#53$/m.test(r.stdout);
  for (const e of external) {
    if (!cached || e.rcode === 'SERVFAIL') continue;
    out.set(`${e.qname} ${e.qtype}`, { name: e.qname as string, type: e.qtype as string, ageUs: 1_000_000 });
  }
  return [...out.values()];
}

function entryText(e: WireEntry | CliEntry): string {
  if (e.event !== undefined) return e.event;
  return `${e.qname} ${e.qtype} -> ${e.rcode ?? 'no answer'} @${e.server} ${e.proto}`;
}

/** Lines of a text with the volatile parts masked. */
function masked(r: CliRecord, text: string): string[] {
  const out = r.volatile.reduce((t, pattern) => t.replace(new RegExp(pattern, 'gm'), 'MASKED'), text);
  if (r.lines === 'list') return out.split('\n');
  // Of several addresses the first one has the name behind it.
  if (r.lines === 'set')
    return out
      .replace(/^(\S+ +STREAM) (\S*)$/gm, '$1\n$2')
      .split('\n')
      .sort();
  return out.split('\n').map((l) => l.replace(/(\sA\t|^)\d+\.\d+\.\d+\.\d+$/, '$1ADDRESS'));
}

function cliDiff(r: CliRecord, got: Run): string | undefined {
  const out = linesDiff('stdout', masked(r, r.stdout), masked(r, got.stdout));
  if (out) return out;
  if (r.stderr !== got.stderr) return linesDiff('stderr', r.stderr.split('\n'), got.stderr.split('\n'));
  if (r.exit !== got.exit) return `exit: want ${r.exit}, got ${got.exit}`;
  const wire = linesDiff('wire', r.wire_records.map(entryText), got.wire.map(entryText));
  if (wire) return wire;
  for (const [i, e] of r.wire_records.entries()) {
    if (!nearMs(e.t_ms, got.wire[i]?.t_ms ?? 0)) return `wire ${i + 1}: t_ms: want ${e.t_ms}, got ${got.wire[i]?.t_ms}`;
  }
  return nearMs(r.elapsed_ms, got.elapsedMs) ? undefined : `elapsed_ms: want ${r.elapsed_ms}, got ${got.elapsedMs}`;
}

/** Replays cli/*: each command line in a pod beside a CoreDNS of its own. */
export function* replayCli(files: TruthFiles, wanted: Wanted, kube: KubeSource): Generator<TruthOutcome> {
  for (const f of files.list('cli')) {
    const id = `cli/${f.replace(/\.json$/, '')}`;
    const text = files.read(`cli/${f}`);
    if (!f.endsWith('.json') || text === undefined || !wanted(id)) continue;
    const r = JSON.parse(text) as CliRecord;
    const core = new CoreLab(13);
    core.start({ corefile: files.read(COREFILE) ?? '', kube });
    core.waitReady();
    warm(core, warmUps(r));
    const difference = cliDiff(r, runRecord(core, r));
    yield difference === undefined ? { id, ok: true } : { id, ok: false, difference };
  }
}
