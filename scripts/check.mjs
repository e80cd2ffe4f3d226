// The checks that need no run of the product: types, the engine's own wall, lint and format, import walls, dead code. `npm run check -- types walls` runs some.
import { inRoot } from './lib/root.mjs';
import { runNode } from './lib/run.mjs';

const tsc = inRoot('node_modules', 'typescript7', 'bin', 'tsc');

export const checks = {
  types: { title: 'types', args: [tsc, '-p', inRoot('tsconfig.json')] },
  engine: {
    title: "engine's wall: ES2022 library only, no DOM, no Node",
    args: [tsc, '-p', inRoot('src', 'engine', 'tsconfig.json')],
  },
  lint: {
    title: 'lint and format',
    args: [inRoot('node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'],
  },
  walls: { title: 'import walls', args: [inRoot('scripts', 'walls.mjs')] },
  dead: { title: 'dead code', args: [inRoot('node_modules', 'knip', 'bin', 'knip.js'), '--no-progress'] },
};

/** Run one check: { name, title, ok, output, seconds }. */
export async function runCheck(name) {
  const { title, args } = checks[name];
  const { code, output, seconds } = await runNode(args, { quiet: true });
  return { name, title, ok: code === 0, output, seconds };
}

/** Print a check's result: its output only where it failed. */
export function report({ title, ok, output, seconds }) {
  if (!ok) console.log(output.trimEnd());
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${title} (${seconds.toFixed(1)} s)`);
}

if (process.argv[1] === inRoot('scripts', 'check.mjs')) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(checks);
  let failed = 0;
  for (const name of names) {
    if (checks[name] === undefined) {
      console.error(`no check is called ${name}; there are ${Object.keys(checks).join(', ')}`);
      process.exit(2);
    }
    const result = await runCheck(name);
    report(result);
    if (!result.ok) failed += 1;
  }
  console.log(`${names.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
