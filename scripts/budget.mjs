// Weighs the built page (dist/) against its byte budgets: gzip -9, kB = 1000 bytes. Prints a line per budget; exits 1 when one is exceeded.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { inRoot } from './lib/root.mjs';

const dist = inRoot('dist');

/** A worker of the shell alone loads with the first terminal and may hold the shell language; every other worker counts as the engine's. */
const ofShell = (chunk) => /^src\/shell\//.test(chunk.src ?? '');

/**
 * What is needed before the first meaningful stage, and what may come after it. `of` picks the manifest's entries that a budget starts from; their
 * static imports count with them. `also` names sources that the entry loads at once although by a dynamic import.
 */
export const budgets = [
  {
    name: 'page, first stage: JavaScript',
    kB: 150,
    kind: 'js',
    of: (key) => key === 'index.html',
    also: [],
    required: true,
  },
  { name: 'page, first stage: CSS', kB: 20, kind: 'css', of: (key) => key === 'index.html', also: [], required: true },
  {
    name: "engine's worker: JavaScript",
    kB: 120,
    kind: 'js',
    of: (_key, chunk) => chunk.isWorkerEntry === true && !ofShell(chunk),
    each: true,
  },
  {
    name: "shell's worker: JavaScript",
    kB: 400,
    kind: 'js',
    of: (_key, chunk) => chunk.isWorkerEntry === true && ofShell(chunk),
    each: true,
  },
];

/** The files an entry cannot start without: itself and, through its static imports, theirs. */
export function staticFiles(manifest, keys) {
  const seen = new Set();
  const files = { js: new Set(), css: new Set() };
  const visit = (key) => {
    const chunk = manifest[key];
    if (chunk === undefined || seen.has(key)) return;
    seen.add(key);
    files[chunk.file.endsWith('.css') ? 'css' : 'js'].add(chunk.file);
    for (const css of chunk.css ?? []) files.css.add(css);
    for (const next of chunk.imports ?? []) visit(next);
  };
  for (const key of keys) visit(key);
  return files;
}

const weigh = (files) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(`${dist}/${file}`), { level: 9 }).length, 0);

/** Every budget with its measured weight: { name, kB, limit, ok }. */
export function measure() {
  const parsed = (name) => JSON.parse(readFileSync(`${dist}/.vite/${name}`, 'utf8'));
  const manifest = { ...parsed('manifest.json'), ...parsed('workers.json') };
  const entries = Object.entries(manifest);
  const results = [];
  for (const budget of budgets) {
    const keys = entries.filter(([key, chunk]) => budget.of(key, chunk)).map(([key]) => key);
    if (keys.length === 0) {
      if (budget.required === true)
        results.push({ name: `${budget.name} (not in the manifest)`, kB: Number.NaN, limit: budget.kB, ok: false });
      continue;
    }
    const groups = budget.each === true ? keys.map((key) => [key]) : [[...keys, ...(budget.also ?? [])]];
    for (const group of groups) {
      const kB = weigh(staticFiles(manifest, group)[budget.kind]) / 1000;
      const suffix = budget.each === true ? ` (${manifest[group[0]].src ?? group[0]})` : '';
      results.push({ name: budget.name + suffix, kB, limit: budget.kB, ok: kB <= budget.kB });
    }
  }
  return results;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const results = measure();
  for (const { name, kB, limit, ok } of results)
    console.log(`${ok ? 'ok  ' : 'OVER'} ${name}: ${kB.toFixed(1)} of ${limit} kB gzipped`);
  process.exitCode = results.every((result) => result.ok) ? 0 : 1;
}
