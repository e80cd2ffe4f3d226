import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot, root } from './root.mjs';

const cacheDir = inRoot('node_modules', '.cache', 'conntrail-cli');
const kept = 4;

/** Everything a bundle can depend on: when one of these changes, the bundle is built anew. */
function sourceFiles() {
  const files = ['package-lock.json', 'vite.config.ts'].map((name) => inRoot(name));
  for (const folder of ['src', 'scenarios', 'bench']) {
    const path = inRoot(folder);
    if (!existsSync(path)) continue;
    for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) files.push(join(entry.parentPath ?? entry.path, entry.name));
    }
  }
  return files.sort();
}

function stamp(entry) {
  const hash = createHash('sha256').update(entry);
  for (const file of sourceFiles()) {
    const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
    hash.update(`${file}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * Bundle a Node entry of the sources (so that `import.meta.glob` and `?raw` mean the same as on the page) and return the bundle's path. Bundles are
 * kept per state of the sources; two processes that build at the same time do not disturb each other.
 */
export async function bundleForNode(entry) {
  if (!existsSync(inRoot(entry))) throw new Error(`${entry} does not exist`);
  const outDir = join(cacheDir, stamp(entry));
  const bundle = join(outDir, 'main.mjs');
  if (existsSync(bundle)) return bundle;
  const { build } = await import('vite');
  const building = `${outDir}.${process.pid}`;
  await build({
    root,
    configFile: inRoot('vite.config.ts'),
    logLevel: 'error',
    build: {
      ssr: inRoot(entry),
      outDir: building,
      emptyOutDir: true,
      manifest: false,
      copyPublicDir: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' } },
    },
  });
  mkdirSync(cacheDir, { recursive: true });
  try {
    renameSync(building, outDir);
  } catch {
    // Somebody else has just put the same bundle there.
    rmSync(building, { recursive: true, force: true });
  }
  dropOld();
  return bundle;
}

function dropOld() {
  const dirs = readdirSync(cacheDir)
    .map((name) => ({ name, at: statSync(join(cacheDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at);
  for (const { name } of dirs.slice(kept)) rmSync(join(cacheDir, name), { recursive: true, force: true });
}
