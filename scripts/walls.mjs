// Checks the import walls with dependency-cruiser: that modules were seen at all, that no rule is broken, and that each rule catches a planted violation
// (with a TypeScript it does not understand, dependency-cruiser reports zero modules and passes).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import { inRoot, root } from './lib/root.mjs';
import { enginePackages, folders, packages } from './lib/walls.mjs';

const tests = '\\.test\\.tsx?$';
const packageFolder = (of) => of.replace(/^\^/, '(^|/)node_modules/');

/** The pattern of what a word of the table allows, and whether it allows types only. */
function allowance(word) {
  if (word.endsWith(' types')) return { pattern: `^src/${word.slice(0, -' types'.length)}/`, typesOnly: true };
  if (word.endsWith('/index'))
    return { pattern: `^src/${word.slice(0, -'index'.length)}.*\\bindex\\.ts$`, typesOnly: false };
  return { pattern: `^src/${word}/`, typesOnly: false };
}

function folderRules(folder, words) {
  const from = { path: `^src/${folder}/`, pathNot: tests };
  const allowed = words.map(allowance);
  const own = `^src/${folder}/`;
  const any = allowed.map(({ pattern }) => pattern);
  const typed = allowed.filter(({ typesOnly }) => typesOnly).map(({ pattern }) => pattern);
  const plain = allowed.filter(({ typesOnly }) => !typesOnly).map(({ pattern }) => pattern);
  const rules = [{ name: `wall ${folder}`, severity: 'error', from, to: { path: '^src/', pathNot: [own, ...any] } }];
  if (typed.length > 0) {
    const to = { path: typed, dependencyTypesNot: ['type-only'] };
    if (plain.length > 0) to.pathNot = plain;
    rules.push({ name: `wall ${folder} types`, severity: 'error', from, to });
  }
  return rules;
}

const rules = [
  ...Object.entries(folders).flatMap(([folder, words]) => folderRules(folder, words)),
  ...packages.map(({ name, of, only }) => ({
    name: `package ${name}`,
    severity: 'error',
    from: { path: '^src/', pathNot: [tests, ...only.map((folder) => `^src/${folder}`)] },
    to: { path: packageFolder(of.replace(/\(\/\|\$\)$/, '/')) },
  })),
  {
    name: 'engine packages',
    severity: 'error',
    from: { path: '^src/engine/', pathNot: tests },
    to: { path: '(^|/)node_modules/', pathNot: packageFolder(enginePackages) },
  },
  {
    name: 'engine node',
    severity: 'error',
    from: { path: '^src/engine/', pathNot: tests },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'node only in cli',
    severity: 'error',
    from: { path: '^src/', pathNot: [tests, '^src/(cli|testing)/'] },
    to: { dependencyTypes: ['core'] },
  },
  { name: 'tests are leaves', severity: 'error', from: { path: '^src/' }, to: { path: tests } },
  {
    name: 'testing only in tests',
    severity: 'error',
    from: { path: '^src/', pathNot: [tests, '^src/(testing|cli)/'] },
    to: { path: '^src/testing/' },
  },
  {
    name: 'no cycles',
    severity: 'error',
    from: { path: '^src/' },
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
];

async function cruiseIn(baseDir) {
  const { output } = await cruise(['src'], {
    baseDir,
    ruleSet: { forbidden: rules },
    validate: true,
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      conditionNames: ['import', 'types', 'default'],
      exportsFields: ['exports'],
    },
  });
  return output.summary;
}

/** One file per rule that breaks it, in a tree of its own. */
function plant() {
  const dir = mkdtempSync(join(tmpdir(), 'conntrail-walls-'));
  const file = (path, text) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const up = (folder) => '../'.repeat(folder.split('/').length);
  file(
    'package.json',
    '{"type":"module","dependencies":{"react":"*","@xterm/xterm":"*","just-bash":"*","d3-zoom":"*","codemirror":"*","yaml":"*"}}',
  );
  file('src/main.tsx', 'export const main = 1;\n');
  file('src/x.test.ts', 'export const x = 1;\n');
  file('src/testing/index.ts', "import '../main';\nexport const testing = 1;\n");
  const expected = new Set(rules.map((rule) => rule.name));
  for (const [folder, words] of Object.entries(folders)) {
    file(`src/${folder}/planted.ts`, `import '${up(folder)}main';\n`);
    const typed = words.find((word) => word.endsWith(' types'));
    if (typed === undefined) continue;
    const target = typed.slice(0, -' types'.length);
    file(`src/${target}/value.ts`, 'export const value = 1;\n');
    file(
      `src/${folder}/allowed.ts`,
      `import type { value } from '${up(folder)}${target}/value';\nexport type Seen = typeof value;\n`,
    );
    file(
      `src/${folder}/planted-types.ts`,
      `import { value } from '${up(folder)}${target}/value';\nexport const seen = value;\n`,
    );
  }
  for (const name of ['react', '@xterm/xterm', 'just-bash', 'd3-zoom', 'codemirror', 'yaml']) {
    file(`node_modules/${name}/package.json`, `{"name":"${name}","version":"1.0.0","main":"index.js"}`);
    file(`node_modules/${name}/index.js`, 'export {};\n');
  }
  file(
    'src/engine/base/packages.ts',
    "import 'react';\nimport '@xterm/xterm';\nimport 'just-bash';\nimport 'd3-zoom';\nimport 'codemirror';\nimport 'yaml';\n",
  );
  file('src/engine/base/node.ts', "import 'node:fs';\n");
  file('src/engine/base/leaf.ts', "import '../../x.test';\nimport '../../testing';\n");
  file('src/engine/base/a.ts', "import { b } from './b';\nexport const a = 1;\nexport const c = b;\n");
  file('src/engine/base/b.ts', "import { a } from './a';\nexport const b = a;\n");
  return { dir, expected };
}

async function main() {
  const problems = [];
  const { dir, expected } = plant();
  try {
    const summary = await cruiseIn(dir);
    const caught = new Set(summary.violations.map((violation) => violation.rule.name));
    for (const name of expected)
      if (!caught.has(name)) problems.push(`rule "${name}" does not catch its planted violation`);
    for (const { rule, from } of summary.violations)
      if (from.endsWith('/allowed.ts')) problems.push(`rule "${rule.name}" refuses an import of types only`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  const summary = await cruiseIn(root);
  if (!(summary.totalCruised > 0)) problems.push('dependency-cruiser saw no modules');
  for (const { rule, from, to, cycle } of summary.violations) {
    const way = cycle === undefined ? to : cycle.map((step) => step.name ?? step).join(' -> ');
    problems.push(`${rule.name}: ${from} -> ${way}`);
  }
  for (const problem of problems) console.log(problem);
  console.log(
    `${summary.totalCruised} modules, ${summary.totalDependenciesCruised} imports, ${expected.size} rules, ${problems.length} problems`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}

process.chdir(inRoot());
await main();
