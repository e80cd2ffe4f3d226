import type { KubeSource } from '../../../engine/dns/coredns/kubernetes/source';
import { type DnsMsg, flagsOf, type Message, rrText } from '../../../engine/dns/message';
import { hexBytes } from '../../../engine/dns/wire';
import type { TruthFiles, TruthOutcome, Wanted } from '../types';
import { transactions } from './capture';
import { linesDiff, nearMs, wireDiff } from './compare';
import { CoreLab } from './core';
import { type Before, type MessageRecord, type State, statesDiff } from './messagetypes';
import { askOnce, buildQuery, type QueryOptions } from './server';

const CLIENT = '10.244.1.51';
/** From kill(2) to the Go runtime's notice of the signal (us). */
const SIGNAL_US = 3000;
const NOT_READY = '[INFO] plugin/ready: Plugins not ready: "kubernetes"';

/** One message record being replayed: the CoreDNS process and what was asked of it. */
class Replay {
  readonly core = new CoreLab(17);

  constructor(
    private readonly files: TruthFiles,
    private readonly r: MessageRecord,
    private readonly kube: KubeSource,
    private readonly byId: (id: string) => MessageRecord | undefined,
  ) {}

  private corefileOf(r: MessageRecord): string | undefined {
    if (r.start_corefile_text !== undefined) return r.start_corefile_text;
    return r.corefile_text ?? (r.corefile === undefined ? undefined : this.files.read(r.corefile));
  }

  private start(r: MessageRecord, corefile = this.corefileOf(r)): void {
    const token = r.setup?.find((s) => s.service_account_token !== undefined)?.service_account_token;
    const env = r.env ?? { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '16443' };
    const usable =
      env.KUBERNETES_SERVICE_HOST === '10.96.0.1' && env.KUBERNETES_SERVICE_PORT === '16443' && token === undefined;
    this.core.start({
      corefile,
      kube: usable ? this.kube : { ...this.kube, reachable: () => false },
      env,
      ...(r.coredns_resolv_conf === undefined ? {} : { resolvConf: r.coredns_resolv_conf }),
      ...(r.args === undefined ? {} : { args: r.args }),
    });
  }

  /** Asks one question and waits for the answer. */
  ask(
    text: string,
    o: { transport?: 'udp' | 'tcp'; options?: QueryOptions; timeoutMs?: number } = {},
  ): DnsMsg | undefined {
    const { core } = this;
    const [name = '', type = 'A'] = text.split(' ');
    const bytes = /^(\d+) bytes of 0x(\w\w)$/.exec(text);
    const q = bytes
      ? hexBytes((bytes[2] as string).repeat(Number(bytes[1])))
      : buildQuery(name, type, o.options ?? {}, core.prng.below(65536));
    let ended = false;
    let answer: DnsMsg | undefined;
    const timeoutMs = o.timeoutMs ?? 9000;
    core.lab.spawn(
      core.pod(CLIENT),
      (sys) =>
        askOnce(sys, CLIENT, q, o.transport ?? 'udp', timeoutMs * 1000, (m) => {
          ended = true;
          answer = m;
        }),
      { argv: [], files: () => undefined, output: () => undefined },
    );
    core.waitMs(timeoutMs + 1000, () => ended);
    return answer;
  }

  private mask(line: string): string {
    return (this.r.volatile ?? []).reduce((t, p) => t.replace(new RegExp(p, 'gm'), 'MASKED'), line);
  }
  private logDiff(want: readonly string[], got: readonly string[]): string | undefined {
    const put = (xs: readonly string[]): string[] => xs.filter((l) => l !== NOT_READY).map((l) => this.mask(l));
    return linesDiff('log', put(want), put(got));
  }

  run(): string | undefined {
    const { r } = this;
    if (r.over_time) return this.startStop();
    if (r.answers_over_time) return this.api();
    if (r.lines) return this.reloadDefault();
    if (r.results) return this.concurrent();
    if (r.entries?.some((e) => e.step !== undefined)) return this.reloadSteps();
    if (r.entries?.some((e) => e.answer !== undefined || e.before !== undefined)) return this.overTime();
    if (r.entries) return this.logEntries();
    return this.plain();
  }

  /** Start, signals and waits, then what was logged. */
  private plain(): string | undefined {
    const { r } = this;
    const setup = r.setup ?? [];
    const chain = setup.find((s) => s.same_process_as)?.same_process_as;
    const other = chain === undefined ? undefined : this.byId(chain);
    if (chain !== undefined && !other) return this.continueAlone();
    if (other) this.runSetup(other, true);
    return this.finishPlain(setup.length > 0 && (chain !== undefined || setup.some((s) => s.signal || s.wait_s)));
  }

  /** The process that this record goes on with is not at hand: the same Corefile, running for a while. */
  private continueAlone(): string | undefined {
    this.start(this.r);
    this.core.waitReady();
    return this.finishPlain(true);
  }

  private finishPlain(scripted: boolean): string | undefined {
    const { r, core } = this;
    const chained = r.setup?.some((s) => s.same_process_as) ?? false;
    if (chained) core.logLines();
    let answer: DnsMsg | undefined;
    if (scripted) {
      this.runSetup(r, false);
    } else {
      const starts = (r.setup ?? []).filter((s) => s.start !== undefined);
      for (const s of starts.slice(0, -1)) {
        this.start(r, this.files.read(s.start as string));
        core.waitReady();
      }
      this.start(r);
      if (r.answer !== undefined) {
        core.waitMs(8000);
        answer = this.ask('www.example.com. A', { timeoutMs: 8000 });
      } else if (r.after_ms !== undefined) core.waitMs(30_000, () => core.exit !== undefined);
      else core.waitMs(2500, () => core.exit !== undefined);
    }
    const lines = chained
      ? core.logLines()
      : r.args
        ? core.rawLog().split('\n')
        : core
            .rawLog()
            .split('\n')
            .filter((l) => l !== '');
    const log = r.compare.includes('log') ? this.logDiff(r.log ?? [], lines) : undefined;
    if (log) return log;
    const exit = core.exit ?? 'keeps running';
    if (r.compare.includes('exit') && r.exit !== exit) return `exit: want ${r.exit}, got ${exit}`;
    if (r.answer !== undefined) {
      const refused = typeof r.answer === 'string';
      if (refused !== (answer === undefined)) return `answer: want ${JSON.stringify(r.answer)}`;
    }
    return undefined;
  }

  /** Does the steps of a record's set-up. `again`: as the beginning of a record that goes on with its process. */
  private runSetup(r: MessageRecord, again: boolean): void {
    const { core } = this;
    const setup = r.setup ?? [];
    const chain = setup.find((s) => s.same_process_as)?.same_process_as;
    const other = chain === undefined ? undefined : this.byId(chain);
    if (again && other) this.runSetup(other, true);
    const own = !setup.some((s) => s.same_process_as);
    if (own && !setup.some((s) => s.start)) {
      this.start(r);
      core.waitReady();
    }
    for (const s of setup) {
      if (s.start !== undefined)
        this.start(r, s.start === 'corefile_text' ? r.corefile_text : this.files.read(s.start));
      if (s.write_corefile !== undefined) {
        const words = /"(.*)" replaced by "(.*)"/.exec(s.write_corefile);
        core.corefile = (core.corefile ?? '').replaceAll(words?.[1] ?? '\0', words?.[2] ?? '');
        core.waitMs(70_000);
      }
      if (s.wait_s !== undefined) core.waitMs(s.wait_s * 1000);
      if (s.query !== undefined) this.ask(s.query);
      if (s.signal !== undefined) this.signal(s.signal);
    }
    const last = setup[setup.length - 1];
    if (last?.signal && /INT|TERM|KILL/.test(last.signal)) core.waitMs(15_000, () => core.exit !== undefined);
    else core.waitMs(100);
  }

  private signal(name: string): void {
    const s = name.replace(/^SIG/, '');
    if (s === 'USR1' || s === 'HUP') this.core.signal(s);
    else this.core.kill(s as 'INT' | 'TERM' | 'KILL');
  }

  private logEntries(): string | undefined {
    const { r, core } = this;
    this.start(r);
    core.waitReady();
    for (const [i, e] of (r.entries ?? []).entries()) {
      core.logLines();
      this.ask(e.query ?? '', {
        ...(e.transport === undefined ? {} : { transport: e.transport }),
        ...(e.options === undefined ? {} : { options: e.options }),
      });
      core.waitMs(150);
      const d = this.logDiff((e.log ?? []) as string[], core.logLines());
      if (d) return `entry ${i + 1} (${e.query}): ${d}`;
    }
    return undefined;
  }

  private reloadSteps(): string | undefined {
    const { r, core } = this;
    this.start(r);
    core.waitReady();
    for (const [i, e] of (r.entries ?? []).entries()) {
      core.logLines();
      core.corefile = e.corefile_text;
      core.waitMs((e.watched_s ?? 10) * 1000);
      const want = (e.log ?? []).map((l) => (typeof l === 'string' ? l : l.line));
      const d = this.logDiff(want, core.logLines());
      if (d) return `entry ${i + 1}: ${d}`;
      const a = this.ask(r.query_after_each_step ?? '');
      const then = linesDiff('then', [...(e.then ?? [])].sort(), (a?.answer ?? []).map(rrText).sort());
      if (then) return `entry ${i + 1}: ${then}`;
    }
    return undefined;
  }

  private reloadDefault(): string | undefined {
    const { r, core } = this;
    this.start(r);
    core.waitReady();
    core.logLines();
    const words = /"(.*)" replaced by "(.*)"/.exec(r.setup?.find((s) => s.write_corefile)?.write_corefile ?? '');
    core.corefile = (core.corefile ?? '').replaceAll(words?.[1] ?? '\0', words?.[2] ?? '');
    const t0 = core.lab.nowUs;
    const got: { t_ms: number; line: string }[] = [];
    while (core.lab.nowUs - t0 < 100_000_000 && !got.some((l) => l.line.includes('complete'))) {
      core.waitMs(50);
      for (const line of core.logLines()) got.push({ t_ms: (core.lab.nowUs - t0) / 1000, line });
    }
    const d = this.logDiff(
      (r.lines ?? []).map((l) => l.line),
      got.map((l) => l.line),
    );
    if (d) return d;
    const late = got.find((l) => l.t_ms < 15_000 || l.t_ms > 60_000);
    return late && `${late.line} after ${late.t_ms} ms`;
  }

  private concurrent(): string | undefined {
    const { r, core } = this;
    this.start(r);
    core.waitReady();
    core.logLines();
    const text = r.setup?.find((s) => s.query)?.query ?? '';
    const [name = '', type = 'A'] = text.replace(/,.*$/, '').split(' ');
    const rcodes: string[] = [];
    const wanted = r.results?.length ?? 0;
    for (let i = 0; i < wanted; i++) {
      const q = buildQuery(name, type, {}, core.prng.below(65536));
      core.lab.spawn(
        core.pod(CLIENT),
        (sys) => askOnce(sys, CLIENT, q, 'udp', 6_000_000, (m) => rcodes.push(m?.rcode ?? 'no answer')),
        { argv: [], files: () => undefined, output: () => undefined },
      );
      core.waitMs(20);
    }
    core.waitMs(7000, () => rcodes.length === wanted);
    core.waitMs(200);
    const d = linesDiff('results', (r.results ?? []).map((x) => x.rcode).sort(), rcodes.sort());
    if (d) return d;
    const sorted = (xs: readonly string[]): string[] => xs.map((l) => this.mask(l)).sort();
    return linesDiff('log', sorted(r.log ?? []), sorted(core.logLines()));
  }

  /** One question again and again while the upstream goes and comes back. */
  private overTime(): string | undefined {
    const { r, core } = this;
    this.start(r);
    core.waitMs(2500);
    const query = r.query ?? r.setup?.find((s) => s.query)?.query ?? 'short.example.com. A';
    for (const [i, e] of (r.entries ?? []).entries()) {
      const steps = e.before === undefined || e.before === null ? [] : Array.isArray(e.before) ? e.before : [e.before];
      for (const b of steps as Before[]) {
        if (b.wait_s !== undefined) core.waitMs(b.wait_s * 1000);
        const ip = /\d+\.\d+\.\d+\.\d+/.exec(b.upstream ?? '')?.[0] ?? '10.0.0.53';
        if (b.state === 'silent') core.lab.lost.add(ip);
        else if (b.state === 'good') core.lab.lost.delete(ip);
      }
      core.logLines();
      core.lab.seen.length = 0;
      const t0 = core.lab.nowUs;
      const a = this.ask(e.query ?? query, { timeoutMs: 8000 });
      core.waitMs((r.ms_includes_s ?? 0.15) * 1000);
      const ms = (core.lab.nowUs - t0) / 1000;
      const where = `entry ${i + 1} (${e.at ?? ''})`;
      const d =
        this.answerDiff(e.answer, a) ??
        (e.wire && wireDiff(e.wire, transactions(core.lab.seen), { shuffled: true })) ??
        this.logDiff((e.log ?? []) as string[], core.logLines()) ??
        (e.ms !== undefined && !nearMs(e.ms, ms) ? `ms: want ${e.ms}, got ${ms}` : undefined);
      if (d) return `${where}: ${d}`;
    }
    return undefined;
  }

  private answerDiff(want: unknown, got: Message | undefined): string | undefined {
    if (want === undefined) return undefined;
    if (typeof want === 'string') return got ? `answer: want ${want}, got ${got.rcode}` : undefined;
    const w = want as { rcode?: string; flags?: string[]; answers?: string[]; authority?: string[] };
    if (!got) return `answer: want ${w.rcode}, got none`;
    const put = (x: { rcode?: string; flags?: string[]; answers?: string[]; authority?: string[] }): string =>
      JSON.stringify([x.rcode, x.flags, [...(x.answers ?? [])].sort(), x.authority]);
    const mine = put({
      rcode: got.rcode,
      flags: flagsOf(got),
      answers: got.answer.map(rrText),
      authority: got.authority.map(rrText),
    });
    return put(w) === mine ? undefined : `answer: want ${put(w)}, got ${mine}`;
  }

  private startStop(): string | undefined {
    const { r, core } = this;
    const probe = (): { ready: { code: number; body: string }; health: { code: number; body: string } } => {
      const [ready, health] = [core.http(8181, '/ready'), core.http(8080, '/health')];
      return {
        ready: { code: ready.code, body: ready.code ? ready.body : '' },
        health: { code: health.code, body: health.code ? health.body : '' },
      };
    };
    this.start(r);
    const seen: string[] = [];
    for (let t = 0; t < 15_000; t += 20) {
      const s = probe();
      const text = JSON.stringify(s);
      if (seen[seen.length - 1] !== text) seen.push(text);
      if (s.ready.code === 200 && s.health.code === 200) break;
      core.waitMs(20);
    }
    const want = (r.over_time ?? []).map(({ ready, health }) => JSON.stringify({ ready, health }));
    const states = linesDiff('over_time', want, seen);
    if (states) return states;
    core.waitMs(500);
    for (const s of r.setup ?? []) if (s.query !== undefined) this.ask(s.query);
    for (const [port, key] of [
      [8080, 'health'],
      [8181, 'ready'],
    ] as const) {
      const w = r[key];
      const g = core.http(port, `/${key}`);
      const undated = (hs: readonly string[] = []): string[] => hs.filter((h) => !h.startsWith('Date:'));
      const put = (x: { code: number; body: string; headers: readonly string[] }): string =>
        JSON.stringify([x.code, x.body, undated(x.headers)]);
      if (w && put(w) !== put(g)) return `${key}: want ${put(w)}, got ${put(g)}`;
    }
    for (const [port, paths] of [
      [8080, r.other_paths_8080],
      [8181, r.other_paths_8181],
    ] as const) {
      for (const [path, [code, body]] of Object.entries(paths ?? {})) {
        const g = core.http(port, path);
        if (g.code !== code || g.body !== body) return `${port}${path}: want ${code}, got ${g.code} ${g.body}`;
      }
    }
    return this.stop();
  }

  private stop(): string | undefined {
    const { r, core } = this;
    core.lab.at(SIGNAL_US, () => core.kill('TERM'));
    const t0 = core.lab.nowUs;
    const after: string[] = [];
    while (core.exit === undefined && core.lab.nowUs - t0 < 20_000_000) {
      const [h, y] = [core.http(8080, '/health'), core.http(8181, '/ready')];
      const a = this.ask('mysql.default.svc.cluster.local. A', { timeoutMs: 300 });
      if (core.exit !== undefined) break;
      const body = (x: { code: number; body: string }): [number, string] => [x.code, x.code ? x.body : ''];
      const text = JSON.stringify({ health: body(h), ready: body(y), dns_answers: a !== undefined });
      if (after[after.length - 1] !== text) after.push(text);
      core.waitMs(100, () => core.exit !== undefined);
    }
    const tookMs = (core.lab.nowUs - t0) / 1000;
    const want = (r.after_sigterm ?? []).map((s) => {
      const [health, ready] = [s.health as [number, string], s.ready as [number, string]];
      const body = (x: [number, string]): [number, string] => [x[0], x[0] ? x[1] : ''];
      return JSON.stringify({ health: body(health), ready: body(ready), dns_answers: s.dns_answers });
    });
    const lines = core
      .rawLog()
      .split('\n')
      .filter((l) => l !== '');
    const took = r.sigterm_to_exit_ms;
    return (
      linesDiff('after_sigterm', want, after) ??
      this.logDiff(r.log ?? [], lines) ??
      (r.exit === core.exit ? undefined : `exit: want ${r.exit}, got ${core.exit}`) ??
      (took !== undefined && !nearMs(took, tookMs) ? `sigterm_to_exit_ms: want ${took}, got ${tookMs}` : undefined)
    );
  }

  /** The API cannot be used: what is answered over time. */
  private api(): string | undefined {
    const { r, core } = this;
    this.start(r);
    const limit = (r.watched_s ?? 12) * 1_000_000;
    const http: State[] = [];
    const answers: State[] = [];
    const push = (list: State[], s: State): void => {
      const bare = ({ t_ms: _, ...rest }: State): string => JSON.stringify(rest);
      const last = list[list.length - 1];
      if (!last || bare(last) !== bare(s)) list.push(s);
    };
    const t0 = core.lab.nowUs;
    const now = (): number => Math.round((core.lab.nowUs - t0) / 1000);
    while (core.lab.nowUs - t0 < limit && core.exit === undefined) {
      const [y, h] = [core.http(8181, '/ready'), core.http(8080, '/health')];
      push(http, { t_ms: now(), ready: [y.code, y.code ? y.body : ''], health: [h.code, h.code ? h.body : ''] });
      const rcode = (q: string | undefined): string => this.ask(q ?? '', { timeoutMs: 500 })?.rcode ?? 'no answer';
      const [service, external] = [rcode(r.queries?.service), rcode(r.queries?.external)];
      push(answers, { t_ms: now(), service, external });
      core.waitMs(100);
    }
    const exit = core.exit ?? 'keeps running';
    if (r.exit !== exit) return `exit: want ${r.exit}, got ${exit}`;
    if (r.compare.includes('log')) {
      const lines = core.rawLog().split('\n');
      const d = this.logDiff(r.log ?? [], lines.slice(0, lines[lines.length - 1] === '' ? -1 : undefined));
      if (d) return d;
    }
    if (r.compare.includes('answers_over_time')) {
      const d = statesDiff('answers_over_time', r.answers_over_time ?? [], answers);
      if (d) return d;
    }
    if (r.compare.includes('ready_health_over_time'))
      return statesDiff('ready_health_over_time', r.ready_health_over_time ?? [], http);
    return undefined;
  }
}

/** Replays messages/*. */
export function* replayMessages(files: TruthFiles, wanted: Wanted, kube: KubeSource): Generator<TruthOutcome> {
  const byId = (id: string): MessageRecord | undefined => {
    const text = files.read(`messages/${id}.json`);
    return text === undefined ? undefined : (JSON.parse(text) as MessageRecord);
  };
  for (const f of files.list('messages')) {
    if (!f.endsWith('.json')) continue;
    const r = byId(f.replace(/\.json$/, ''));
    const id = `messages/${f.replace(/\.json$/, '')}`;
    if (!r?.record || !wanted(id)) continue;
    const difference = new Replay(files, r, kube, byId).run();
    yield difference === undefined ? { id, ok: true } : { id, ok: false, difference };
  }
}
