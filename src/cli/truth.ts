import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { replayers } from '../testing/truth';
import type { TruthFiles } from '../testing/truth/types';
import { globToRegExp } from './glob';
import { type Known, parseKnown } from './known';

export interface TruthArgs {
  readonly dir: string;
  readonly only: readonly string[];
  readonly strict: boolean;
  readonly json: boolean;
  /** Text of the file of known failures; undefined: none. */
  readonly known: string | undefined;
}

interface Failure {
  readonly folder: string;
  readonly id: string;
  readonly difference: string;
}

/** Files of a truth folder on disk. */
export function diskFiles(root: string): TruthFiles {
  const cache = new Map<string, string | undefined>();
  return {
    read(path) {
      if (!cache.has(path)) {
        const p = join(root, path);
        cache.set(path, existsSync(p) && statSync(p).isFile() ? readFileSync(p, 'utf8') : undefined);
      }
      return cache.get(path);
    },
    list(dir) {
      const p = join(root, dir);
      if (!existsSync(p)) return [];
      return readdirSync(p, { withFileTypes: true })
        .map((e) => (e.isDirectory() ? `${e.name}/` : e.name))
        .sort();
    },
  };
}

/** The truth folders of DIR: its subfolders of known name, or DIR itself when it has such a name. */
export function foldersOf(dir: string): { name: string; root: string }[] {
  const names = Object.keys(replayers);
  const own = basename(resolve(dir));
  // dns/ has a folder cli/ of its own: a folder that bears a known name is that folder, whatever is in it.
  if (names.includes(own)) return [{ name: own, root: dir }];
  return names
    .filter((n) => existsSync(join(dir, n)) && statSync(join(dir, n)).isDirectory())
    .map((name) => ({ name, root: join(dir, name) }));
}

/**
 * Replays records and prints a line per failing one, then the counts alone on the last line. Returns the exit code:
 * 0 when nothing failed beyond what is known, 1 otherwise, 2 for a DIR without any truth folder.
 */
export async function runTruth(args: TruthArgs, print: (line: string) => void): Promise<number> {
  const folders = foldersOf(args.dir);
  if (folders.length === 0) {
    print(`truth: ${args.dir} is no truth folder (${Object.keys(replayers).join(', ')}) and holds none`);
    return 2;
  }
  const globs = args.only.map(globToRegExp);
  const counts = new Map<string, { passed: number; failed: number }>();
  const failures: Failure[] = [];
  for (const { name, root } of folders) {
    const wanted = (id: string): boolean =>
      globs.length === 0 || globs.some((g) => g.test(id) || g.test(`${name}/${id}`));
    const count = { passed: 0, failed: 0 };
    counts.set(name, count);
    const replay = replayers[name];
    if (!replay) continue;
    for await (const o of replay(diskFiles(root), wanted)) {
      if (!wanted(o.id)) continue;
      if (o.ok) count.passed++;
      else {
        count.failed++;
        failures.push({ folder: name, id: o.id, difference: o.difference ?? 'differs' });
      }
    }
  }
  const passed = sum(counts, 'passed');
  const known = args.strict || args.known === undefined ? undefined : parseKnown(args.known);
  const skipped = known ? knownFailures(known, failures, print, globs.length === 0) : undefined;
  const surplus = skipped ? failures.filter((f) => !skipped.covered.has(f)) : failures;
  if (args.json) {
    print(
      JSON.stringify({
        passed,
        failed: failures.length,
        folders: Object.fromEntries(counts),
        failures,
      }),
    );
  } else {
    for (const f of surplus) print(`FAILED ${f.folder}/${f.id}: ${oneLine(f.difference)}`);
    for (const [name, c] of counts) print(`${name}: ${c.passed} passed, ${c.failed} failed`);
    const failed = surplus.length + (skipped?.wrongCounts ?? 0);
    print(
      skipped
        ? `${passed} passed, ${failed} failed, ${skipped.covered.size} skipped`
        : `${passed} passed, ${failed} failed`,
    );
  }
  return surplus.length + (skipped?.wrongCounts ?? 0) > 0 ? 1 : 0;
}

/** Sets known failures apart; a count that is not the stated one is a failure of its own, so the list can only shrink on purpose. */
function knownFailures(
  known: readonly Known[],
  failures: readonly Failure[],
  print: (line: string) => void,
  whole: boolean,
): { covered: Set<Failure>; wrongCounts: number } {
  const covered = new Set<Failure>();
  let wrongCounts = 0;
  for (const k of known) {
    const pattern = globToRegExp(k.glob);
    const mine = failures.filter((f) => !covered.has(f) && pattern.test(`${f.folder}/${f.id}`));
    for (const f of mine) covered.add(f);
    if (whole && mine.length !== k.count) {
      wrongCounts++;
      print(`KNOWN ${k.glob}: ${mine.length} fail, the list says ${k.count} (${k.reason})`);
    }
  }
  return { covered, wrongCounts };
}

const sum = (m: ReadonlyMap<string, { passed: number; failed: number }>, key: 'passed' | 'failed'): number =>
  [...m.values()].reduce((n, c) => n + c[key], 0);

const oneLine = (text: string): string => text.replace(/\n/g, ' ⏎ ').slice(0, 600);
