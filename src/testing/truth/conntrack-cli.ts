import { NF_CONNTRACK, NF_CTSTATS, NO_STATS } from '../../engine/netfilter';
import { compareTables, firstDifference } from './compare';
import { runCommand, TOLERANCE } from './conntrack-sequences';
import { Lab, NODE, tableLines } from './lab';
import type { PacketJson } from './lab-packet';
import { textDifference } from './netfilter';

export interface CliRecord {
  readonly command: string;
  readonly rc: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly inputs?: {
    readonly ruleset?: string;
    readonly flush?: boolean;
    readonly packets?: readonly { readonly iface: string; readonly packet: PacketJson }[];
  };
}

/** What is masked before outputs are compared (conntrack/README.md, cli.json). */
function mask(command: string, text: string): string {
  let t = text.replace(/<id>\d+<\/id>/g, '<id>N</id>');
  if (/-o \S*id/.test(command))
    t = t.replace(/ id=\d+$/gm, (m, off: number, all: string) =>
      /icmp/.test(lineAt(all, off)) && !/use=\d+ id=/.test(lineAt(all, off)) ? m : ' id=N',
    );
  if (command.startsWith('conntrack -S')) t = t.replace(/cpu=\d+/g, 'cpu=N').replace(/=\d+/g, '=N');
  if (command.includes('/proc/net/stat')) t = t.replace(/[0-9a-f]{8}/g, 'X');
  return t.replace(/use=\d+/g, 'use=1').replace(/<use>\d+<\/use>/g, '<use>1</use>');
}
const lineAt = (all: string, off: number): string =>
  all.slice(all.lastIndexOf('\n', off - 1) + 1, off + 40).split('\n')[0] as string;

/** `-t N` of save lines and `<timeout>` of XML, for the tolerance. */
const seconds = (line: string): [number | undefined, string] => {
  const m = /^(-A -t |.*<timeout>)(\d+)(.*)$/.exec(line);
  return m ? [Number(m[2]), `${m[1]}T${m[3]}`] : [undefined, line];
};

function compareText(command: string, want: string, got: string): string | undefined {
  const w = mask(command, want);
  const g = mask(command, got);
  if (w === g) return undefined;
  if (/-o save|-o xml/.test(command)) {
    const a = w.split('\n').map(seconds).sort(byText);
    const b = g.split('\n').map(seconds).sort(byText);
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      if (a[i]?.[1] !== b[i]?.[1]) return `stdout: want ${JSON.stringify(a[i]?.[1])}, got ${JSON.stringify(b[i]?.[1])}`;
      if (Math.abs((a[i]?.[0] ?? 0) - (b[i]?.[0] ?? 0)) > TOLERANCE) return `stdout: seconds of ${a[i]?.[1]}`;
    }
    return undefined;
  }
  if (/conntrack -[LGDU]|nf_conntrack$/.test(command)) {
    // Lines are compared with their blanks: squeezing happens only to look at the seconds.
    const t = compareTables(tableLines(w), tableLines(g), TOLERANCE);
    if (t) return t;
    const blanks = (x: string): string[] =>
      x
        .split('\n')
        .map((l) => l.replace(/\d+/g, '#'))
        .sort();
    return firstDifference(blanks(w), blanks(g), 'stdout');
  }
  return `stdout: ${textDifference(w, g)}`;
}
const byText = (a: [number | undefined, string], b: [number | undefined, string]): number =>
  a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0;

function run(lab: Lab, command: string): { rc: number; stdout: string; stderr: string } {
  if (command === 'cat /proc/net/stat/nf_conntrack') {
    const n = lab.ctx.world.map(NF_CONNTRACK).by('netns', NODE).length;
    const s = lab.ctx.world.map(NF_CTSTATS).get(NODE) ?? NO_STATS;
    const hex = (v: number): string => v.toString(16).padStart(8, '0');
    const line = (c: typeof NO_STATS): string =>
      `${hex(n)}  ${[c.clash_resolve, c.found, 0, c.invalid, 0, 0, 0, c.insert, c.insert_failed, c.drop, c.early_drop, c.error].map(hex).join(' ')}  ${[0, 0, 0, c.search_restart].map(hex).join(' ')}\n`;
    const head =
      'entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop icmp_error  expect_new expect_create expect_delete search_restart\n';
    return { rc: 0, stdout: head + line(s) + line(NO_STATS), stderr: '' };
  }
  return runCommand(lab, command);
}

/** The list of commands on one table, in order; one difference (or none) each. */
export function* replayCli(recs: readonly CliRecord[]): Iterable<{ command: string; difference: string | undefined }> {
  const lab = new Lab();
  for (const rec of recs) {
    let difference: string | undefined;
    try {
      if (rec.inputs?.ruleset !== undefined) difference = lab.restore(rec.inputs.ruleset);
      if (rec.inputs?.flush) lab.nf.conntrack(NODE, ['-F']);
      for (const p of rec.inputs?.packets ?? []) lab.send(p.iface, p.packet);
      const r = run(lab, rec.command);
      const cut = '[usage text cut]\n';
      const stdout = rec.stdout.endsWith(cut) ? r.stdout.slice(0, rec.stdout.length - cut.length) + cut : r.stdout;
      difference ??=
        firstDifference(rec.rc, r.rc, 'rc') ??
        compareText(rec.command, rec.stdout, stdout) ??
        firstDifference(rec.stderr, r.stderr, 'stderr');
      lab.wait(20_000);
    } catch (e) {
      difference = `replay failed: ${(e as Error).message}`;
    }
    yield { command: rec.command, difference };
  }
}
