// Benchmarks, outside `npm test`: every bench/*.bench.ts in Node, then bench/*.spec.ts in Chromium on the production build. A name picks some:
// `npm run bench -- step`.
import { existsSync, readdirSync } from 'node:fs';
import { runBrowserTests } from './e2e.mjs';
import { bundleForNode } from './lib/cli-bundle.mjs';
import { inRoot } from './lib/root.mjs';
import { runNode } from './lib/run.mjs';

const asked = process.argv.slice(2);
const wanted = (file) => asked.length === 0 || asked.some((name) => file.includes(name));
const files = existsSync(inRoot('bench')) ? readdirSync(inRoot('bench')).filter(wanted).sort() : [];
let failed = 0;

for (const file of files.filter((name) => name.endsWith('.bench.ts'))) {
  console.log(`\n== ${file}`);
  const { code } = await runNode(['--expose-gc', await bundleForNode(`bench/${file}`)]);
  if (code !== 0) failed += 1;
}
const specs = files.filter((name) => name.endsWith('.spec.ts'));
if (specs.length > 0) {
  console.log('\n== in Chromium');
  const built = await runNode([inRoot('scripts', 'build.mjs'), '--quiet']);
  const code = built.code === 0 ? await runBrowserTests({ args: specs, folder: 'bench' }) : built.code;
  if (code !== 0) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
