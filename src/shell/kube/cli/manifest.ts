import { LineCounter, parseAllDocuments } from 'yaml';
import type { Json } from '../../../engine/base';
import { byCodeUnit, err, ok, type Result } from '../../../engine/base';
import type { CommandCtx } from '../../command';
import { resolvePath } from '../../files';
import { list, rec, str } from '../fields';
import { type Resource, resourceOfKind } from '../resources';

/** One object of a manifest and where it came from. */
export interface Manifest {
  readonly source: string;
  readonly object: Readonly<Record<string, Json>>;
  readonly resource: Resource;
}

/** An object that could not be read; the rest of the files is still tried. */
export interface Broken {
  readonly source: string;
  readonly error: string;
}

const EXTENSIONS = ['.json', '.yaml', '.yml'];
/** Bytes of a manifest at most, documents at most and aliases at most: more is an attack or a mistake. */
const MAX_TEXT = 3_000_000;
const MAX_DOCUMENTS = 5_000;

/** Reads the files of `-f`; a file that is missing ends it all, a broken document ends its file. */
export function loadManifests(
  ctx: CommandCtx,
  paths: readonly string[],
  opts: { readonly recursive: boolean; readonly needsKind?: boolean },
): Result<readonly (Manifest | Broken)[]> {
  const out: (Manifest | Broken)[] = [];
  for (const path of paths.flatMap((p) => p.split(','))) {
    if (path === '-') {
      out.push(...documents('STDIN', ctx.stdin));
      continue;
    }
    if (/^https?:\/\//.test(path)) return err(`error: unable to read URL "${path}", the model has no network for it`);
    const file = ctx.files.read(path);
    if ('text' in file) {
      out.push(...documents(path, file.text));
      continue;
    }
    const inside = filesBelow(ctx, path, opts.recursive);
    if (inside === undefined) return err(`error: the path ${JSON.stringify(path)} does not exist`);
    if (inside.length === 0) {
      return err(`error: error reading [${path}]: recognized file extensions are [.json .yaml .yml]`);
    }
    for (const f of inside) {
      const text = ctx.files.read(f);
      if ('text' in text) out.push(...documents(f, text.text));
    }
  }
  return ok(out);
}

function filesBelow(ctx: CommandCtx, path: string, recursive: boolean): string[] | undefined {
  const names = ctx.files.list(path);
  if (!names) return undefined;
  return [...names].sort(byCodeUnit).flatMap((n) => {
    const full = resolvePath('/', `${resolvePath(ctx.cwd, path)}/${n}`);
    if ('text' in ctx.files.read(full)) return EXTENSIONS.some((e) => n.endsWith(e)) ? [full] : [];
    return recursive ? (filesBelow(ctx, full, true) ?? []) : [];
  });
}

/** Objects of one YAML or JSON text; Lists are taken apart. */
export function documents(source: string, text: string): (Manifest | Broken)[] {
  if (text.length > MAX_TEXT) return [{ source, error: `error: ${source} is larger than ${MAX_TEXT} bytes` }];
  const tab = tabError(text);
  const parsing = (why: string): Broken => ({
    source,
    error: `error: error parsing ${source}: error converting YAML to JSON: yaml: ${why}`,
  });
  if (tab !== undefined) return [parsing(`line ${tab}: found character that cannot start any token`)];
  const lines = new LineCounter();
  const docs = parseAllDocuments(text, { lineCounter: lines, schema: 'yaml-1.1', merge: true, uniqueKeys: true });
  if (!Array.isArray(docs)) return [];
  if (docs.length > MAX_DOCUMENTS)
    return [{ source, error: `error: ${source} holds more than ${MAX_DOCUMENTS} documents` }];
  const out: (Manifest | Broken)[] = [];
  for (const doc of docs) {
    const problem = doc.errors[0];
    if (problem) {
      out.push(
        parsing(
          yamlError(
            problem.code,
            problem.message,
            lineOf(problem.code, problem.pos[0], text, (at) => lines.linePos(at).line),
            text,
          ),
        ),
      );
      return out;
    }
    const value = doc.toJS({ maxAliasCount: 100 }) as Json;
    if (value === null || value === undefined) continue;
    out.push(...objects(source, value));
  }
  return out;
}

/** The first line that starts its indentation with a tab (go-yaml refuses it). */
function tabError(text: string): number | undefined {
  const i = text.split('\n').findIndex((l) => /^ *\t/.test(l));
  return i < 0 ? undefined : i + 1;
}

/** The line that go-yaml would name: for a mapping where none may be, the one of its colon. */
function lineOf(code: string, at: number, text: string, line: (at: number) => number): number {
  if (code !== 'BLOCK_AS_IMPLICIT_KEY') return line(at);
  const colon = /\n[^\n:]*:/.exec(text.slice(at));
  return line(colon ? at + colon.index + colon[0].length - 1 : at);
}

/** A parser's error in go-yaml's words. */
function yamlError(code: string, message: string, line: number, text: string): string {
  if (code === 'DUPLICATE_KEY') {
    const key = /^\s*([^:]+):/.exec(text.split('\n')[line - 1] ?? '')?.[1] ?? '';
    return `unmarshal errors:\n  line ${line}: key ${JSON.stringify(key.trim())} already set in map`;
  }
  if (code === 'BLOCK_AS_IMPLICIT_KEY' || /Nested mappings|implicit map/i.test(message)) {
    return `line ${line}: mapping values are not allowed in this context`;
  }
  if (code === 'MISSING_CHAR' || code === 'BAD_INDENT') return `line ${line}: did not find expected key`;
  if (code === 'UNEXPECTED_TOKEN') return `line ${line}: did not find expected node content`;
  return `line ${line}: could not find expected ':'`;
}

function objects(source: string, value: Json): (Manifest | Broken)[] {
  const o = rec(value);
  const validating = (why: string): Broken => ({
    source,
    error: `error: error validating ${JSON.stringify(source)}: error validating data: ${why}; if you choose to ignore these errors, turn validation off with --validate=false`,
  });
  if (str(o, 'apiVersion') === '' && str(o, 'kind') === '') return [validating('[apiVersion not set, kind not set]')];
  if (str(o, 'apiVersion') === '') return [validating('apiVersion not set')];
  if (str(o, 'kind') === '') return [validating('kind not set')];
  if (str(o, 'kind') === 'List' && Array.isArray(o.items))
    return list(o, 'items').flatMap((item) => objects(source, item));
  const resource = resourceOfKind(str(o, 'kind'), str(o, 'apiVersion'));
  if (!resource) {
    const m = rec(o, 'metadata');
    return [
      {
        source,
        error: `error: resource mapping not found for name: ${JSON.stringify(str(m, 'name'))} namespace: ${JSON.stringify(str(m, 'namespace'))} from ${JSON.stringify(source)}: no matches for kind ${JSON.stringify(str(o, 'kind'))} in version ${JSON.stringify(str(o, 'apiVersion'))}\nensure CRDs are installed first`,
      },
    ];
  }
  return [{ source, object: o, resource }];
}

export const isBroken = (m: Manifest | Broken): m is Broken => 'error' in m;

/** Last component of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
