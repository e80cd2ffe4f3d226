// Tests about the source itself: names that the engine must not use, switched-off checks, and lists that must name every file of their folder.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

function filesUnder(folder: string, pattern: RegExp): string[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);
const sources = filesUnder('src', /\.tsx?$/);

/** What engine code reaches for instead of these. */
const bannedNames: Readonly<Record<string, string>> = {
  Date: 'the simulator clock',
  performance: 'the simulator clock',
  Intl: 'byCodeUnit and own tables',
  Promise: 'events of the simulator',
  setTimeout: 'a timer of the simulator',
  setInterval: 'a timer of the simulator',
  queueMicrotask: 'an event of the simulator',
  WeakRef: 'records, which live until they are deleted',
  FinalizationRegistry: 'records, which live until they are deleted',
  eval: 'nothing',
};
const bannedMethods: Readonly<Record<string, string>> = {
  localeCompare: 'byCodeUnit',
  toLocaleString: 'own formatting',
  toLocaleLowerCase: 'toLowerCase',
  toLocaleUpperCase: 'toUpperCase',
  toLocaleDateString: 'own formatting',
  toLocaleTimeString: 'own formatting',
};
/** Maths whose results are the same in every JavaScript engine. */
const stableMath = new Set([
  'abs',
  'ceil',
  'clz32',
  'floor',
  'fround',
  'imul',
  'max',
  'min',
  'round',
  'sign',
  'sqrt',
  'trunc',
]);

/** Whether an identifier stands for a name of its own, and is not the name of somebody's property. */
function isReference(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isQualifiedName(parent)) return parent.left === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  return !(
    (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodDeclaration(parent)) &&
    parent.name === node
  );
}

const isWhole = (node: ts.Node): boolean => ts.isNumericLiteral(node) && Number.isInteger(Number(node.text));

/** Every use in a source text of something the engine must not use, as `line: what; use …`. */
function offences(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const report = (node: ts.Node, what: string, instead: string): void => {
    found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${what}; use ${instead}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isReference(node) && Object.hasOwn(bannedNames, node.text)) {
      report(node, node.text, bannedNames[node.text] ?? '');
    }
    if (ts.isPropertyAccessExpression(node)) {
      const name = node.name.text;
      if (Object.hasOwn(bannedMethods, name)) report(node, name, bannedMethods[name] ?? '');
      if (
        ts.isIdentifier(node.expression) &&
        node.expression.text === 'Math' &&
        /^[a-z]/.test(name) &&
        !stableMath.has(name)
      ) {
        report(node, `Math.${name}`, 'integers, or a random stream of the simulator');
      }
    }
    if (node.kind === ts.SyntaxKind.AsyncKeyword || ts.isAwaitExpression(node))
      report(node, 'async code', 'events of the simulator');
    if (
      ts.isBinaryExpression(node) &&
      (node.operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskToken ||
        node.operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskEqualsToken) &&
      !(isWhole(node.left) && isWhole(node.right))
    ) {
      report(node, '**', 'multiplication, or whole literals on both sides');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('engine', () => {
  test('the scan finds each kind of offence, and only those', () => {
    const bad = [
      'const a = Date.now();',
      'const b = Math.sin(1) + Math.random();',
      "const c = 'a'.localeCompare('b');",
      'async function d(): Promise<void> { await e(); }',
      'const f = 2 ** g;',
      'setTimeout(h, 1);',
    ];
    expect(offences('bad.ts', bad.join('\n')).map((line) => line.split(';')[0])).toEqual([
      'bad.ts:1: Date',
      'bad.ts:2: Math.sin',
      'bad.ts:2: Math.random',
      'bad.ts:3: localeCompare',
      'bad.ts:4: async code',
      'bad.ts:4: Promise',
      'bad.ts:4: async code',
      'bad.ts:5: **',
      'bad.ts:6: setTimeout',
    ]);
    const good = "// Date\nconst header = { Date: 'x' }; const n = 2 ** 32 + Math.floor(header.Date.length / 2);";
    expect(offences('good.ts', good)).toEqual([]);
  });

  test('uses no wall time, chance, promises, locale or unstable maths', () => {
    const files = sources.filter((file) => /^src\/(engine|scenario)\//.test(file) && !isTest(file));
    expect(files.flatMap((file) => offences(file, read(file)))).toEqual([]);
  });
});

/** Patterns are put together from parts, so that this file does not match itself. */
const word = (...parts: string[]): string => parts.join('');

describe('every source file', () => {
  const forbidden: readonly (readonly [string, RegExp])[] = [
    [
      'a switched-off check',
      new RegExp(
        [
          word('@ts-', 'ignore'),
          word('@ts-', 'nocheck'),
          word('@ts-', 'expect-error'),
          word('biome-', 'ignore'),
          word('eslint-', 'disable'),
        ].join('|'),
      ),
    ],
    ['unfinished work', new RegExp(`\\b(${word('TO', 'DO')}|${word('FIX', 'ME')}|${word('XX', 'X')})\\b`)],
    [
      'a skipped or focused test',
      new RegExp(`\\b(it|test|describe)${word('\\.(sk', 'ip|on', 'ly|to', 'do|fix', 'me|fa', 'ils)')}\\b`),
    ],
    [
      'HTML or code from a string',
      new RegExp(
        [
          word('dangerously', 'SetInnerHTML'),
          word('\\.inner', 'HTML\\b'),
          word('insert', 'AdjacentHTML'),
          word('new Fun', 'ction\\('),
        ].join('|'),
      ),
    ],
    [
      'a path of somebody’s machine',
      new RegExp([word('/wo', 'rk/(main|shared)'), word('/home', '/\\w+/'), word('/Use', 'rs/\\w+/')].join('|')),
    ],
  ];
  const files = [
    ...sources,
    ...filesUnder('e2e', /\.ts$/),
    ...filesUnder('bench', /\.ts$/),
    ...filesUnder('scripts', /\.mjs$/),
    ...filesUnder('scenarios', /\.(ts|ya?ml|md)$/),
  ];
  test.each(forbidden)('has not %s', (_what, pattern) => {
    const found = files.flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});

describe('recorded data and documents', () => {
  test('name no path of the machine they were written on', () => {
    const files = [
      ...filesUnder('truth', /\.(json|jsonl|ya?ml|md|txt)$/),
      ...readdirSync(root).filter((name) => /^[A-Z]+\.md$/.test(name)),
    ];
    const path = new RegExp(word('/wo', 'rk/(main|shared)'));
    expect(files.filter((file) => path.test(read(file)))).toEqual([]);
  });
});

/** Folders of one file per thing, each with an index list whose order is meant. */
const listed = [
  'src/engine/netfilter/matches',
  'src/engine/netfilter/targets',
  'src/engine/kubeproxy/modes',
  'src/engine/ipvs/schedulers',
  'src/engine/dns/coredns/plugins',
  'src/shell/commands',
  'src/shell/commands/kubectl',
];

describe('lists', () => {
  const present = listed.filter((folder) => existsSync(join(root, folder)));
  test.each(present)('%s names every file of its folder, and each has a test', (folder) => {
    const inFolder = sources.filter(
      (file) => file.startsWith(`${folder}/`) && !file.slice(folder.length + 1).includes('/'),
    );
    const modules = inFolder
      .filter((file) => !isTest(file) && basename(file) !== 'index.ts')
      .map((file) => basename(file, '.ts'));
    const imported = new Set([...read(`${folder}/index.ts`).matchAll(/from '\.\/([\w-]+)'/g)].map((match) => match[1]));
    expect(modules.filter((name) => !imported.has(name))).toEqual([]);
    const parent = folder.slice(0, folder.lastIndexOf('/'));
    const tests = sources
      .filter((file) => isTest(file) && file.startsWith(`${parent}/`))
      .map((file) => `${basename(file)}\n${read(file)}`);
    const tested = (name: string): boolean =>
      tests.some((text) => new RegExp(`(^|[^\\w-])${name}([^\\w-]|$)`, 'm').test(text));
    expect(modules.filter((name) => !tested(name))).toEqual([]);
  });
});
