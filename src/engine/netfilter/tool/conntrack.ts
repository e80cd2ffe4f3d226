import type { World, WorldReader } from '../../base/recordmap';
import type { ExecResult } from '../../net/stack';
import type { NetnsId } from '../../net/types';
import type { Conntrack } from '../conntrack/conntrack';
import { trackOf } from '../conntrack/track';
import { hashTuple, invert } from '../conntrack/tuple';
import {
  type CtEntry,
  type CtTuple,
  IPCT,
  IPS,
  IPS_NAT_DONE,
  NF_CONNTRACK,
  NF_CTSTATS,
  NO_STATS,
  SCTP_STATES,
} from '../conntrack/types';
import { ctEventText, entryText, saveEntry, xmlEntry } from './format';
import { CtError, type CtOptions, parseCt, passes } from './options';
import { usage } from './usage';

export interface CtToolOptions {
  readonly reader?: WorldReader;
  readonly version?: '1.4.7' | '1.4.8';
  /** Who runs it; others than root may count only. */
  readonly uid?: number;
  /** -E: events from this time on (us); default: all that are kept. */
  readonly sinceUs?: number;
}

/** CPUs whose counters `-S` prints; the model counts on the first. */
const CPUS = 2;

/** conntrack(8), argv without the program's name. */
export function runConntrack(
  ct: Conntrack,
  world: World,
  netns: NetnsId,
  argv: readonly string[],
  t: CtToolOptions = {},
): ExecResult {
  const version = t.version ?? '1.4.7';
  const head = `conntrack v${version} (conntrack-tools): `;
  try {
    const o = parseCt(argv);
    const r = () => new Tool(ct, world, t.reader ?? world, netns, head, version, t.sinceUs ?? 0).run(o);
    if (!t.uid || o.verb === undefined || o.verb === 'h' || o.verb === 'V') return r();
    const stderr = `${head}Operation failed: sorry, you must be root or get CAP_NET_ADMIN capability to do this\n`;
    return { stdout: o.verb === 'C' ? r().stdout : '', stderr, exit: 1 };
  } catch (e) {
    if (!(e instanceof CtError)) throw e;
    const hint = e.exit === 2 ? "Try `conntrack -h' or 'conntrack --help' for more information.\n" : '';
    return { stdout: '', stderr: `${head}${e.message}\n${hint}`, exit: e.exit };
  }
}

class Tool {
  constructor(
    private readonly ct: Conntrack,
    private readonly world: World,
    private readonly reader: WorldReader,
    private readonly netns: NetnsId,
    private readonly head: string,
    private readonly version: string,
    private readonly sinceUs: number,
  ) {}

  run(o: CtOptions): ExecResult {
    switch (o.verb) {
      case undefined:
      case 'h':
        return { stdout: usage(this.version), stderr: '', exit: 0 };
      case 'V':
        return { stdout: `conntrack v${this.version} (conntrack-tools)\n`, stderr: '', exit: 0 };
      case 'L':
        return this.list(o);
      case 'C':
        return { stdout: `${o.table === 'expect' ? 0 : this.all().length}\n`, stderr: '', exit: 0 };
      case 'S':
        return { stdout: this.stats(o), stderr: '', exit: 0 };
      case 'F':
        for (const e of this.all()) this.ct.space(this.netns).destroy(e, 'userspace', true);
        return this.done('', 'connection tracking table has been emptied.');
      case 'D':
        return this.delete(o);
      case 'E':
        return this.events(o);
      case 'G':
        return this.get(o);
      case 'U':
        return this.update(o);
      default:
        return this.create(o);
    }
  }

  private done(stdout: string, summary: string, exit = 0): ExecResult {
    return { stdout, stderr: `${this.head}${summary}\n`, exit };
  }

  /** Entries of the namespace in the order in which the kernel walks its hash table. */
  private all(): CtEntry[] {
    const map = this.reader.map(NF_CONNTRACK);
    return (
      map
        .by('netns', this.netns)
        .map((k) => map.get(k) as CtEntry)
        // An entry of which only the answer's tuple is in the table (clash resolution) is not dumped.
        .filter((e) => e.expiresAtUs > this.reader.nowUs && (e.status & IPS.NAT_CLASH) === 0)
        .map((e) => ({ e, h: hashTuple(e.orig, e.proto, e.zone) }))
        .sort((a, b) => a.h - b.h)
        .map(({ e }) => e)
    );
  }

  private print(o: CtOptions, entries: readonly CtEntry[], held = false): string {
    const now = this.reader.nowUs;
    if (o.output.includes('xml')) {
      const flows = entries.map((e) => `${xmlEntry(e, now)}\n`).join('');
      return entries.length === 0 ? '' : `<?xml version="1.0" encoding="utf-8"?>\n<conntrack>\n${flows}</conntrack>\n`;
    }
    if (o.output.includes('save')) return entries.map((e) => `${saveEntry(e, now)}\n`).join('');
    const f = { extended: o.output.includes('extended'), id: o.output.includes('id'), held };
    return entries.map((e) => `${entryText(e, now, f)}\n`).join('');
  }

  private list(o: CtOptions): ExecResult {
    if (o.table === 'expect') return this.done('', '0 expectations have been shown.');
    const chosen = o.table === 'conntrack' ? this.all().filter((e) => passes(o, e)) : [];
    const out = this.print(o, chosen);
    if (o.zero && this.reader === this.world) {
      for (const e of chosen) if (e.acct) this.ct.space(this.netns).put({ ...e, acct: [0, 0, 0, 0] });
    }
    const r = this.done(out, `${chosen.length} flow entries have been shown.`);
    return o.output.includes('labels')
      ? { ...r, stderr: `nfct_labelmap_new: No such file or directory\n${r.stderr}` }
      : r;
  }

  private stats(o: CtOptions): string {
    const s = this.reader.map(NF_CTSTATS).get(this.netns) ?? NO_STATS;
    const lines: string[] = [];
    for (let cpu = 0; cpu < CPUS; cpu++) {
      if (o.table === 'expect') {
        lines.push(`cpu=${cpu}   \texpect_new=0 expect_create=0 expect_delete=0 `);
        continue;
      }
      const c = cpu === 0 ? s : NO_STATS;
      lines.push(
        `cpu=${cpu}   \tfound=${c.found} invalid=${c.invalid} insert=${c.insert} insert_failed=${c.insert_failed} drop=${c.drop} early_drop=${c.early_drop} error=${c.error} search_restart=${c.search_restart} clash_resolve=${c.clash_resolve} chaintoolong=${c.chaintoolong} `,
      );
    }
    return lines.map((l) => `${l}\n`).join('');
  }

  private delete(o: CtOptions): ExecResult {
    const chosen = this.all().filter((e) => passes(o, e));
    const out = this.print(o, chosen);
    for (const e of chosen) this.ct.space(this.netns).destroy(e, 'userspace', true);
    return this.done(out, `${chosen.length} flow entries have been deleted.`, chosen.length > 0 ? 0 : 1);
  }

  /** The events kept since a time: a running `-E` shows those of its own time. */
  private events(o: CtOptions): ExecResult {
    const types = o.events ?? ['ALL'];
    const chosen = this.ct
      .space(this.netns)
      .events.filter(
        (e) =>
          e.atUs >= this.sinceUs &&
          (types.includes('ALL') || types.includes(e.type === 'UPDATE' ? 'UPDATES' : e.type)) &&
          passes(o, e.entry),
      );
    const f = { extended: o.output.includes('extended'), id: o.output.includes('id') };
    const out = chosen
      .map(
        (e) => `${ctEventText(e, { ...f, ...(o.output.includes('timestamp') ? { timestamp: stamp(e.atUs) } : {}) })}\n`,
      )
      .join('');
    return this.done(out, `${chosen.length} flow events have been shown.`);
  }

  private needTuple(o: CtOptions): CtTuple {
    if (o.proto === undefined) throw new CtError("You need to supply the `--protonum' option for this command");
    if (o.origSrc === undefined || o.origDst === undefined)
      throw new CtError("you have to specify `--src' and `--dst'");
    if (o.proto === 1 || o.proto === 58) {
      if (o.icmpType === undefined || o.icmpCode === undefined || o.icmpId === undefined) {
        throw new CtError("you have to specify `--icmp-type' and `--icmp-code' and `--icmp-id'");
      }
      return { src: o.origSrc, dst: o.origDst, sport: o.icmpId, dport: o.icmpType * 256 + o.icmpCode };
    }
    if (o.origPortSrc === undefined || o.origPortDst === undefined) {
      throw new CtError("you have to specify `--sport' and `--dport'");
    }
    return { src: o.origSrc, dst: o.origDst, sport: o.origPortSrc, dport: o.origPortDst };
  }

  private get(o: CtOptions): ExecResult {
    if (o.origSrc === undefined && o.origDst === undefined && o.replySrc !== undefined && o.replyDst !== undefined) {
      throw new CtError('Operation failed: invalid parameters', 1);
    }
    const t = this.needTuple(o);
    const hit = this.all().find(
      (e) =>
        e.proto === o.proto &&
        e.orig.src === t.src &&
        e.orig.dst === t.dst &&
        e.orig.sport === t.sport &&
        e.orig.dport === t.dport,
    );
    if (!hit) throw new CtError("Operation failed: such conntrack doesn't exist", 1);
    return this.done(this.print(o, [hit], true), '1 flow entries have been shown.');
  }

  private update(o: CtOptions): ExecResult {
    const ns = this.ct.space(this.netns);
    const chosen = this.all().filter((e) => passes(o, e, false));
    const changed: CtEntry[] = [];
    for (const e of chosen) {
      // ctnetlink takes no NAT attributes for entries that have passed the nat hooks.
      if (o.timeout !== undefined && e.status & IPS_NAT_DONE) {
        const text = 'Operation failed: Operation not supported';
        return { stdout: '', stderr: `${text}\n${this.head}${text}\n`, exit: 1 };
      }
      const next: CtEntry = {
        ...e,
        ...(o.mark ? { mark: o.mark.value } : {}),
        ...(o.timeout === undefined ? {} : { expiresAtUs: ns.now + o.timeout * 1_000_000 }),
        ...(o.status ? { status: e.status | statusBits(o.status) } : {}),
      };
      ns.put(next);
      ns.tell('UPDATE', next, IPCT.MARK, true);
      changed.push(next);
    }
    return this.done(
      this.print(o, changed, true),
      `${changed.length} flow entries have been updated.`,
      changed.length > 0 ? 0 : 1,
    );
  }

  private create(o: CtOptions): ExecResult {
    if (o.proto === undefined) throw new CtError("You need to supply the `--protonum' option for this command");
    if (o.timeout === undefined) throw new CtError("You need to supply the `--timeout' option for this command");
    const orig = this.needTuple(o);
    if ((o.proto === 6 || o.proto === 132) && o.state === undefined) {
      throw new CtError("You need to supply the `--state' option for this command");
    }
    const dflt = invert(orig, o.proto) as CtTuple;
    const [dst, src] = [natTo(o.dstNat), natTo(o.srcNat)];
    const reply: CtTuple = {
      src: o.replySrc ?? dst?.ip ?? dflt.src,
      dst: o.replyDst ?? src?.ip ?? dflt.dst,
      sport: o.replyPortSrc ?? dst?.port ?? dflt.sport,
      dport: o.replyPortDst ?? src?.port ?? dflt.dport,
    };
    const ns = this.ct.space(this.netns);
    const zone = o.zone ?? 0;
    if (ns.find(orig, o.proto, zone) || ns.find(reply, o.proto, zone)) {
      throw new CtError('Operation failed: Such conntrack exists, try -U to update', 1);
    }
    const made = this.ct.insertFromUser(this.netns, {
      family: o.family ?? 4,
      zone,
      proto: o.proto,
      orig,
      reply,
      status: statusBits(o.status ?? []),
      timeoutUs: o.timeout * 1_000_000,
      mark: o.mark?.value ?? 0,
      ...(o.proto === 6 ? { tcp: trackOf(o.state as string) } : {}),
      ...(o.proto === 132 ? { sctp: (SCTP_STATES as readonly string[]).indexOf(o.state ?? '') } : {}),
    });
    if (!made) throw new CtError('Operation failed: Cannot allocate memory', 1);
    return this.done('', '1 flow entries have been created.');
  }
}

/** `IP` or `IP:PORT` of -n and -g. */
function natTo(spec: string | boolean | undefined): { ip: string; port: number | undefined } | undefined {
  if (typeof spec !== 'string') return undefined;
  const [ip = '', port] = spec.split(':');
  return { ip, port: port === undefined ? undefined : Number(port) };
}

const statusBits = (names: readonly string[]): number =>
  names.reduce((n, s) => n | (s === 'ASSURED' ? IPS.ASSURED : s === 'SEEN_REPLY' ? IPS.SEEN_REPLY : 0), 0);

const stamp = (us: number): string => `${Math.floor(us / 1_000_000)}.${String(us % 1_000_000).padStart(6, '0')}`;
