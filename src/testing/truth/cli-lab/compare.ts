import type { CliRecord } from './records';

/** First difference between what a record has and what was printed; undefined when they are equal. */
export function compareRecord(
  r: CliRecord,
  got: { readonly stdout: string; readonly stderr: string; readonly exit: number },
): string | undefined {
  if (got.exit !== r.exit)
    return `exit: want ${r.exit}, got ${got.exit}${got.stderr ? ` (${got.stderr.trim().slice(0, 200)})` : ''}`;
  return compareText(r, 'stdout', got.stdout) ?? compareText(r, 'stderr', got.stderr);
}

/** No duration or date is compared (README, Comparison), also where a record's own masks leave one out. */
const TIMES: readonly RegExp[] = [
  /(?<=\btime )\d+(?=ms)/g,
  /(?<=after )\d+(?= milliseconds)/g,
  /(?:\d+\.\d+\/)*\d+\.\d+(?= ms\b)/g,
  /[\d.]+[KMG]?(?==0s)/g,
  /(?<=Date: ).*/g,
  /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000/g,
  // curl's last column counts bytes a second, the fifth from the front the same.
  /(?<=\r100 +\d+ +100 +\d+ +0 +0 +)\S+(?= )|(?<=--:--:-- +)\d\S*$/gm,
];

/** The text with the masks of the record applied. */
function normalise(r: CliRecord, text: string): string {
  let out = text;
  for (const t of TIMES) out = out.replace(t, '\u00a7');
  // A mask over a whole line with its end stands for a line that may be missing.
  for (const v of r.volatile ?? [])
    out = out.replace(new RegExp(v, 'gm'), v.startsWith('^') && v.endsWith('\\n') ? '' : '\u00a7');
  return out;
}

const squeeze = (text: string): string => text.replace(/[ \t]+/g, ' ');

/** Colours and their places, by the word that follows. */
const ESC = String.fromCharCode(27);
const SGR = new RegExp(`${ESC}\\[[\\d;]*m`, 'g');
const SGR_WORD = new RegExp(`${ESC}\\[[\\d;]*m\\S{0,4}`, 'g');
const plain = (text: string): string => text.replace(SGR, '');
const colours = (text: string): string => [...text.matchAll(SGR_WORD)].join(' ');

function compareText(r: CliRecord, which: 'stdout' | 'stderr', gotRaw: string): string | undefined {
  const wantRaw = (which === 'stdout' ? r.stdout : r.stderr) ?? '';
  // The masks are written for text without colours.
  const coloured = wantRaw.includes(`${ESC}[`) && colours(wantRaw) === colours(gotRaw);
  return coloured ? compareLines(r, which, plain(wantRaw), plain(gotRaw)) : compareLines(r, which, wantRaw, gotRaw);
}

function compareLines(r: CliRecord, which: 'stdout' | 'stderr', wantRaw: string, gotRaw: string): string | undefined {
  let want = normalise(r, wantRaw);
  let got = normalise(r, gotRaw);
  if (r.unordered_endpoints === 'blocks') [want, got] = [sortBlocks(want), sortBlocks(got)];
  [want, got] = [squeeze(want), squeeze(got)];
  if (want === got) return undefined;
  if (which === 'stdout') {
    if (r.unordered_lines) [want, got] = [sortLines(want), sortLines(got)];
    if (r.unordered_members) [want, got] = [sortMembers(want), sortMembers(got)];
    if (r.unordered_endpoints === 'lines') [want, got] = [sortLines(want), sortLines(got)];
    if (r.unordered_endpoints === 'list') [want, got] = endpointLists(r, want, got);
    if (want === got) return undefined;
  }
  return firstLine(which, want, got);
}

function firstLine(which: string, want: string, got: string): string {
  const w = want.split('\n');
  const g = got.split('\n');
  for (let i = 0; i < Math.max(w.length, g.length); i++) {
    if (w[i] !== g[i]) return `${which} line ${i + 1}: want ${JSON.stringify(w[i])}, got ${JSON.stringify(g[i])}`;
  }
  return `${which} differs`;
}

const sortLines = (text: string): string => text.split('\n').sort().join('\n');

/** Lines between `Members:` and the next set, and runs of `add SET` lines, in order. */
function sortMembers(text: string): string {
  const out: string[] = [];
  let run: string[] = [];
  let inside = false;
  const flush = (): void => {
    out.push(...run.sort());
    run = [];
  };
  for (const l of text.split('\n')) {
    const member = l.startsWith('add ') || (inside && l !== '' && !l.startsWith('Name:'));
    if (member) run.push(l);
    else {
      flush();
      out.push(l);
    }
    if (l === 'Members:') inside = true;
    else if (l === '' || l.startsWith('Name:')) inside = false;
  }
  flush();
  return out.join('\n');
}

/**
 * Comma lists of addresses or ports: as sets where neither is cut, by their number where one is (the slice's own order
 * is random, and programs show the first three).
 */
function endpointLists(r: CliRecord, want: string, got: string): [string, string] {
  const describing = /describe/.test(r.cmd);
  const list = /([0-9a-fA-F.:]+(?:,[0-9a-fA-F.:]+)+)(?: \+ (\d+) more\.\.\.)?/g;
  const plain = (text: string): string =>
    text.replace(list, (_, items: string, more: string | undefined) => {
      const all = items.split(',');
      if (describing || more === undefined) return all.sort().join(',');
      return `${all.length + Number(more)} endpoints`;
    });
  // Names of slices end at random, and so their rows come in a random order.
  const rows = /get endpointslices/.test(r.cmd) ? sortLines : (t: string): string => t;
  return [rows(plain(want)), rows(plain(got))];
}

/** Endpoints of a slice as a set: YAML items of `endpoints:`, or the blocks from `- Addresses:` on. */
function sortBlocks(text: string): string {
  const lines = text.split('\n');
  const out: string[] = [];
  let blocks: string[][] = [];
  let indent = '';
  const flush = (): void => {
    out.push(...blocks.map((b) => b.join('\n')).sort());
    blocks = [];
  };
  for (const l of lines) {
    const start = /^( *)- (?:addresses|Addresses):/.exec(l);
    // A block goes on while its lines are indented deeper than its dash.
    const inside = blocks.length > 0 && l.startsWith(`${indent} `);
    if (start) {
      indent = start[1] as string;
      blocks.push([l]);
    } else if (inside) (blocks.at(-1) as string[]).push(l);
    else {
      flush();
      out.push(l);
    }
  }
  flush();
  return out.join('\n');
}
