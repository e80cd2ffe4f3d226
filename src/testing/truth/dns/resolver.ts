import type { KubeSource } from '../../../engine/dns/coredns/kubernetes/source';
import { type Message, newQuery } from '../../../engine/dns/message';
import { getent } from '../../../engine/dns/programs/getent';
import type { TruthFiles, TruthOutcome, Wanted } from '../types';
import { transactions, type WireEntry } from './capture';
import { linesDiff, nearMs, pairOrder, wireDiff } from './compare';
import { CoreLab } from './core';
import { GAI_PROGRAMS } from './gai';
import type { Host, Lab } from './lab';
import { askOnce } from './server';

export interface ResolverRecord {
  readonly id: string;
  readonly group: string;
  readonly cmd: string;
  readonly resolv_conf: string;
  readonly query: { readonly from: { readonly podIP: string } };
  readonly order: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | string;
  readonly elapsed_ms: number;
  readonly wire: readonly WireEntry[];
  readonly note: string;
}

const SETS = ['script', 'options', 'slow', 'coredns'] as const;
const COREFILE = 'corefiles/kubeadm.Corefile';

/** /etc/hosts of the client pod. */
export const POD_HOSTS = [
  '# Kubernetes-managed hosts file.',
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
  '10.244.1.50\tclient',
  '',
].join('\n');

/** Time for which a program is loaded and started before it does anything (us), as in the recording. */
function startUs(cmd: string): number {
  if (cmd.startsWith('node')) return 424_000;
  if (cmd.startsWith('python3')) return 250_000;
  return 130_000;
}

interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | undefined;
  readonly elapsedMs: number;
  readonly wire: readonly WireEntry[];
}

/** When the n-th answer for a name, type and server came in: servers are not part of what is compared, their pace is. */
export function answerTimes(
  wire: readonly WireEntry[],
  startUs: number,
): (reply: Message, from: string, proto: 'udp' | 'tcp') => number | undefined {
  const times = new Map<string, number[]>();
  for (const e of wire) {
    if (e.rtt_ms === undefined) continue;
    const key = `${e.qname?.toLowerCase()} ${e.qtype} ${e.server} ${e.proto}`;
    times.set(key, [...(times.get(key) ?? []), startUs + Math.round((e.t_ms + e.rtt_ms) * 1000)]);
  }
  const taken = new Map<Message, number | undefined>();
  return (reply, from, proto) => {
    if (taken.has(reply)) return taken.get(reply);
    const q = reply.question[0];
    const at = times.get(`${q?.name.toLowerCase()} ${q?.type} ${from} ${proto}`)?.shift();
    taken.set(reply, at);
    return at;
  };
}

/** How late the recorded process woke up, told by when it sent next: that decides which answers it finds together. */
export function clientLatency(wire: readonly WireEntry[], lab: Lab, ip: string): (host: Host) => number {
  const start = lab.nowUs;
  const sends = wire.filter((e) => e.client === ip || (e.event === 'tcp SYN' && e.from === ip));
  const times = sends.map((e) => start + Math.round(e.t_ms * 1000)).sort((a, b) => a - b);
  return (host) => {
    if (!host.ips.includes(ip)) return 0;
    const done = lab.seen.filter((s) => (s.kind === 'dns' || s.kind === 'syn') && s.src.ip === ip).length;
    const next = (times[done] ?? Number.POSITIVE_INFINITY) - lab.nowUs;
    const busy = (times[done - 1] ?? 0) - lab.nowUs;
    return Math.max(busy, next > LATE_US ? 0 : next) + IDLE_US;
  };
}

/** Longest wake-up that is read out of a recording, and what a process takes at least (us). */
const LATE_US = 5000;
const IDLE_US = 250;

/** Splits a command line at spaces; what is left after the name is the program's own. */
function runRecord(core: CoreLab, r: ResolverRecord): Run {
  const { lab } = core;
  lab.seen.length = 0;
  const ip = r.query.from.podIP;
  const argv = splitCommand(r.cmd);
  const program = argv[0] === 'getent' ? getent : GAI_PROGRAMS[argv[0] ?? ''];
  if (!program) throw new Error(`no program ${argv[0]}`);
  const env = /^env (\w+)=(.*)$/.exec(r.note);
  let stdout = '';
  let stderr = '';
  let exit: number | undefined;
  const t0 = lab.nowUs;
  core.waitMs(startUs(r.cmd) / 1000);
  lab.steer = answerTimes(r.wire, lab.nowUs);
  lab.latency = clientLatency(r.wire, lab, ip);
  lab.spawn(core.pod(ip), program, {
    argv,
    ...(env ? { env: { [env[1] as string]: env[2] as string } } : {}),
    files: (path) => (path === '/etc/resolv.conf' ? r.resolv_conf : path === '/etc/hosts' ? POD_HOSTS : undefined),
    output: (fd, text) => {
      if (fd === 1) stdout += text;
      else stderr += text;
    },
    onExit: (code) => {
      exit = code;
    },
  });
  core.waitMs(120_000, () => exit !== undefined);
  const elapsedMs = (lab.nowUs - t0) / 1000;
  lab.steer = undefined;
  lab.latency = undefined;
  core.waitMs(250);
  const mine = transactions(lab.seen.filter((s) => s.kind !== 'dns' || s.src.ip === ip || s.dst.ip === ip)).filter(
    (e) => r.group !== 'resolver/coredns' || e.client === ip || e.from === ip || e.to === ip || e.event !== undefined,
  );
  return { stdout, stderr, exit, elapsedMs, wire: mine };
}

/** `cmd name args`: the name may hold spaces. */
export function splitCommand(cmd: string): string[] {
  const words = cmd.split(' ');
  const fixed = /^(python3 \S+|node \S+|getent \S+|\S+) (.*)$/.exec(cmd);
  if (!fixed) return words;
  const head = (fixed[1] as string).split(' ');
  const rest = /^(.*?)((?: (?:inet6?|addrconfig|repeat \d+))*)$/.exec(fixed[2] as string);
  return [...head, rest?.[1] ?? '', ...(rest?.[2] ?? '').split(' ').filter((w) => w !== '')];
}

const orderOf = (wire: readonly WireEntry[], ip: string): string[] =>
  wire
    .filter((e) => e.qname !== undefined && e.client === ip)
    .map((e) => `${e.qname ?? 'None'} ${e.qtype ?? 'None'} -> ${e.rcode ?? 'no answer'} @${e.server} ${e.proto}`);

const maskError = (line: string): string => line.replace(/((?:read|write) (?:udp|tcp) \S+):\d+->/, '$1:PORT->');

/** Addresses of a family are a set when there are several, as the server turns them. */
function outDiff(want: string, got: string, cut: boolean): string | undefined {
  const norm = (text: string): string[] => {
    const lines = text.split('\n').map(maskError);
    const key = (l: string): string => /^(?:inet6? |AF_INET6? )?([0-9a-f.:]+)(?:\s|$)/.exec(l)?.[1] ?? '';
    if (cut) return lines.map((l) => l.replace(key(l), 'ADDRESS')).sort();
    return lines.map((l, i) => (key(l) === '' ? `${String(i).padStart(4, '0')} ${l}` : `a ${l}`)).sort();
  };
  return linesDiff('stdout', norm(want), norm(got));
}

export function resolverDiff(r: ResolverRecord, got: Run): string | undefined {
  const ip = r.query.from.podIP;
  // Of a cut answer a resolver gets what the server's turn leaves of it.
  const cut = r.wire.some((e) => (e.answers?.length ?? 0) > r.stdout.split('\n').length || e.flags?.includes('tc'));
  const out = outDiff(r.stdout, got.stdout, cut) ?? (r.stderr === got.stderr ? undefined : `stderr: got ${got.stderr}`);
  if (out) return out;
  if (r.exit !== got.exit) return `exit: want ${r.exit}, got ${got.exit}`;
  const freePairs = / go$|--go$/.test(r.id);
  const put = (w: readonly WireEntry[]): string[] => orderOf(freePairs ? pairOrder(w) : w, ip);
  const order = linesDiff('order', put(r.wire), put(got.wire));
  if (order) return order;
  const coredns = r.group === 'resolver/coredns';
  const wire = wireDiff(r.wire, got.wire, { shuffled: coredns, freeTtl: coredns, freePairs });
  if (wire) return wire;
  if (!nearMs(r.elapsed_ms, got.elapsedMs)) return `elapsed_ms: want ${r.elapsed_ms}, got ${got.elapsedMs}`;
  return undefined;
}

/** Questions that somebody had asked this CoreDNS before, with the age of what it kept of them (us). */
export function warmUps(wire: readonly WireEntry[]): { name: string; type: string; ageUs: number }[] {
  const out = new Map<string, { name: string; type: string; ageUs: number }>();
  const ttlOf = (rr: string): number => Number(rr.split(' ')[1]);
  const seen = new Set<string>();
  for (const e of wire) {
    const first = !seen.has(`${e.qname} ${e.qtype}`);
    seen.add(`${e.qname} ${e.qtype}`);
    if (!first || typeof e.qname !== 'string' || typeof e.qtype !== 'string' || e.rcode === null) continue;
    const rrs = [...(e.answers ?? []), ...(e.authority ?? [])];
    const ttl = Math.min(CACHE_S, ...rrs.map(ttlOf));
    // A cached answer has AA set, which the upstream does not set where it knows no zone.
    const kept = (e.flags ?? []).includes('aa') && !(e.answers ?? []).length && !isInternal(e.qname);
    if (ttl === CACHE_S && !kept) continue;
    const names = [e.qname, ...(e.answers ?? []).map((rr) => rr.split(' ')[0] as string)];
    for (const name of names) {
      const age = e.rcode === 'SERVFAIL' ? FAILURE_AGE_S : CACHE_S - ttl;
      if (!isInternal(name)) out.set(`${name} ${e.qtype}`, { name, type: e.qtype, ageUs: age * 1_000_000 });
    }
  }
  return [...out.values()].sort((a, b) => b.ageUs - a.ageUs);
}

const CACHE_S = 30;
/** Failures are kept for 5 s and do not tell their age. */
const FAILURE_AGE_S = 3;
const isInternal = (name: string): boolean => /(^|\.)cluster\.local\.$/i.test(name);

/** Asks the questions of `warmUps` at their times before now. */
export function warm(core: CoreLab, asks: readonly { name: string; type: string; ageUs: number }[]): void {
  const end = core.lab.nowUs + (asks[0]?.ageUs ?? 0) + 100_000;
  for (const a of asks) {
    core.waitMs(Math.max(0, end - a.ageUs - 100_000 - core.lab.nowUs) / 1000);
    let ended = false;
    const q = newQuery(core.prng.below(65536), a.name, a.type);
    const ip = '10.244.1.53';
    core.lab.spawn(
      core.pod(ip),
      (sys) =>
        askOnce(sys, ip, q, 'udp', 5_000_000, () => {
          ended = true;
        }),
      { argv: [], files: () => undefined, output: () => undefined },
    );
    core.waitMs(6000, () => ended);
  }
  core.waitMs(Math.max(0, end - core.lab.nowUs) / 1000);
}

/** Replays resolver/**: each record in a process of its own; those against CoreDNS share one server. */
export function* replayResolver(files: TruthFiles, wanted: Wanted, kube: KubeSource): Generator<TruthOutcome> {
  for (const set of SETS) {
    for (const f of files.list(`resolver/${set}`)) {
      const id = `resolver/${set}/${f.replace(/\.json$/, '')}`;
      const text = files.read(`resolver/${set}/${f}`);
      if (!f.endsWith('.json') || text === undefined || !wanted(id)) continue;
      const r = JSON.parse(text) as ResolverRecord;
      const core = new CoreLab(11);
      if (set === 'coredns') {
        core.start({ corefile: files.read(COREFILE) ?? '', kube });
        core.waitReady();
        warm(core, warmUps(r.wire));
      }
      const difference = resolverDiff(r, runRecord(core, r));
      yield difference === undefined ? { id, ok: true } : { id, ok: false, difference };
    }
  }
}
