// The whole test run: types, lint, walls, unit and scenario tests, recorded truth, build and byte budgets, browser tests. `npm test -- unit truth` runs some
// stages. The last line alone is `N passed, N failed, N skipped`; skipped are the records that truth/known.txt states as known to fail.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { budgets, measure } from './budget.mjs';
import { checks, report, runCheck } from './check.mjs';
import { runBrowserTests } from './e2e.mjs';
import { inRoot, root } from './lib/root.mjs';
import { runNode } from './lib/run.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'conntrail-test-'));
const started = process.hrtime.bigint();
const elapsed = () => Number(process.hrtime.bigint() - started) / 1e9;

/** What every stage adds to: the counts per stage, and every test with its seconds. */
const stages = new Map();
const tests = [];

function count(stage, passed, failed, skipped = 0) {
  const sum = stages.get(stage) ?? { passed: 0, failed: 0, skipped: 0 };
  stages.set(stage, { passed: sum.passed + passed, failed: sum.failed + failed, skipped: sum.skipped + skipped });
}

function took(stage, name, seconds) {
  tests.push({ stage, name, seconds });
}

const heading = (title) => console.log(`\n== ${title} (at ${elapsed().toFixed(0)} s)`);

async function checkStage() {
  const results = [];
  for (const name of Object.keys(checks)) results.push(await runCheck(name));
  return () => {
    heading('checks');
    for (const result of results) {
      report(result);
      count('checks', result.ok ? 1 : 0, result.ok ? 0 : 1);
      took('checks', result.title, result.seconds);
    }
  };
}

async function buildStage() {
  const built = await runNode([inRoot('scripts', 'build.mjs'), '--quiet'], { quiet: true });
  return () => {
    heading('build and byte budgets');
    if (built.code !== 0) console.log(built.output.trimEnd());
    count('build', built.code === 0 ? 1 : 0, built.code === 0 ? 0 : 1);
    took('build', 'production build', built.seconds);
    if (built.code !== 0) {
      count('budgets', 0, budgets.length);
      return;
    }
    for (const { name, kB, limit, ok } of measure()) {
      console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}: ${kB.toFixed(1)} of ${limit} kB gzipped`);
      count('budgets', ok ? 1 : 0, ok ? 0 : 1);
    }
  };
}

async function unitStage() {
  const json = join(scratch, 'vitest.json');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${json}`];
  const { code, output } = await runNode([inRoot('node_modules', 'vitest', 'vitest.mjs'), ...args], {
    quiet: true,
    env: { NO_COLOR: '1' },
  });
  return () => {
    heading('unit and scenario tests');
    console.log(output.trim());
    const results = existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')) : { testResults: [] };
    let failures = 0;
    for (const file of results.testResults) {
      const path = relative(root, file.name);
      const stage = /^scenarios\/|^src\/scenario\//.test(path) ? 'scenarios' : 'unit';
      if (file.status !== 'passed' && file.assertionResults.length === 0) {
        // The file itself did not load.
        count(stage, 0, 1);
        failures += 1;
      }
      for (const { status, fullName, duration } of file.assertionResults) {
        const failed = status !== 'passed';
        failures += failed ? 1 : 0;
        count(stage, failed ? 0 : 1, failed ? 1 : 0);
        took(stage, `${path} › ${fullName.trim()}`, (duration ?? 0) / 1000);
      }
    }
    // No test at all, or an error outside every test, is a failure as well.
    if (results.testResults.length === 0 || (code !== 0 && failures === 0)) count('unit', 0, 1);
  };
}

async function truthStage() {
  heading('recorded truth');
  const { code, output, seconds } = await runNode([inRoot('bin', 'conntrail.mjs'), 'truth'], { quiet: true });
  console.log(output.trimEnd());
  took('truth', 'all records', seconds);
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  const counts = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(last);
  if (counts === null) {
    console.log(`truth ended without its counts (exit ${code})`);
    count('truth', 0, 1);
    return;
  }
  const [passed, failed, skipped] = counts.slice(1).map((text) => Number(text ?? 0));
  // An exit code that the counts do not explain (the known list is out of date, say) is one more failure.
  count('truth', passed, failed + (code !== 0 && failed === 0 ? 1 : 0), skipped);
}

async function browserStage() {
  heading('browser tests');
  const json = join(scratch, 'playwright.json');
  let code = 1;
  try {
    code = await runBrowserTests({ json });
  } catch (error) {
    console.log(error.message);
  }
  if (!existsSync(json)) {
    count('e2e', 0, 1);
    return;
  }
  let failures = 0;
  const visit = (suite) => {
    for (const spec of suite.specs ?? []) {
      const seconds = spec.tests
        .flatMap((test) => test.results)
        .reduce((sum, result) => sum + result.duration / 1000, 0);
      const passed = spec.ok && spec.tests.every((test) => test.status === 'expected');
      failures += passed ? 0 : 1;
      count('e2e', passed ? 1 : 0, passed ? 0 : 1);
      took('e2e', `${spec.file} › ${spec.title}`, seconds);
    }
    for (const inner of suite.suites ?? []) visit(inner);
  };
  for (const suite of JSON.parse(readFileSync(json, 'utf8')).suites) visit(suite);
  if (!stages.has('e2e') || (code !== 0 && failures === 0)) count('e2e', 0, 1);
}

function summary() {
  heading('ten slowest tests');
  for (const { stage, name, seconds } of tests.sort((a, b) => b.seconds - a.seconds).slice(0, 10)) {
    console.log(`${seconds.toFixed(2).padStart(8)} s  ${stage}: ${name}`);
  }
  heading('summary');
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const [stage, counts] of stages) {
    console.log(`${stage.padEnd(10)} ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    for (const key of Object.keys(total)) total[key] += counts[key];
  }
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}

const known = ['check', 'unit', 'truth', 'build', 'e2e'];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no stage is called ${unknown.join(', ')}; there are ${known.join(', ')}`);
  process.exit(2);
}
const wants = (name) => asked.length === 0 || asked.includes(name);

try {
  // The checks and the build keep one core busy while the unit tests run; the later stages need the machine for themselves.
  const side = (async () => [
    wants('check') ? await checkStage() : () => {},
    wants('build') || wants('e2e') ? await buildStage() : () => {},
  ])();
  const unit = wants('unit') ? unitStage() : Promise.resolve(() => {});
  const [prints, printUnit] = await Promise.all([side, unit]);
  for (const print of prints) print();
  printUnit();
  if (wants('truth')) await truthStage();
  if (wants('e2e')) await browserStage();
  summary();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
