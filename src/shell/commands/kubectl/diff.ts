import type { Json } from '../../../engine/base';
import { hashText } from '../../../engine/base';
import { applyObject } from '../../../engine/k8s';
import { type CommandResult, fail } from '../../command';
import { nowSeconds } from '../../format/clock';
import { strftime } from '../../format/time';
import { type Obj, objectOf } from '../../kube/api';
import { completeNothing } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { isBroken, loadManifests } from '../../kube/cli/manifest';
import { type Kube, Output, type Verb } from '../../kube/cli/verb';
import { apiOf } from '../../kube/cli/write';
import { put, rec, str } from '../../kube/fields';
import { toYaml } from '../../kube/yaml';

/** Lines that differ between two texts, in unified form with three lines of context. */
export function unified(before: string, after: string): string {
  const a = before.replace(/\n$/, '').split('\n');
  const b = after.replace(/\n$/, '').split('\n');
  // Longest common subsequence by dynamic programming: manifests are short.
  const table: number[][] = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      (table[i] as number[])[j] =
        a[i] === b[j] ? (table[i + 1]?.[j + 1] ?? 0) + 1 : Math.max(table[i + 1]?.[j] ?? 0, table[i]?.[j + 1] ?? 0);
    }
  }
  const ops: { mark: ' ' | '-' | '+'; text: string; a: number; b: number }[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) ops.push({ mark: ' ', text: a[i] as string, a: i++, b: j++ });
    else if (i < a.length && (j >= b.length || (table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0)))
      ops.push({ mark: '-', text: a[i] as string, a: i++, b: j });
    else ops.push({ mark: '+', text: b[j] as string, a: i, b: j++ });
  }
  let out = '';
  for (let n = 0; n < ops.length; ) {
    if (ops[n]?.mark === ' ') {
      n++;
      continue;
    }
    const from = Math.max(0, n - 3);
    let to = n;
    for (let m = n; m < ops.length && m < to + 7; m++) if (ops[m]?.mark !== ' ') to = m;
    const hunk = ops.slice(from, Math.min(ops.length, to + 4));
    const first = hunk[0] as (typeof ops)[number];
    const size = (mark: '-' | '+'): number => hunk.filter((o) => o.mark === ' ' || o.mark === mark).length;
    out += `@@ -${first.a + 1},${size('-')} +${first.b + 1},${size('+')} @@\n${hunk.map((o) => `${o.mark}${o.text}\n`).join('')}`;
    n = to + 4;
  }
  return out;
}

/** What of an object `kubectl diff` compares: no managed fields, no last-applied annotation. */
function shown(o: Obj | undefined): string {
  if (!o) return '';
  const annotations = { ...rec(o, 'metadata', 'annotations') };
  delete (annotations as Record<string, Json>)['kubectl.kubernetes.io/last-applied-configuration'];
  const metadata = put(
    o,
    ['metadata', 'annotations'],
    Object.keys(annotations).length > 0 ? (annotations as Json) : undefined,
  );
  return toYaml(metadata as Json);
}

function run(k: Kube): CommandResult {
  const files = k.flags.all('filename');
  if (files.length === 0) return fail('error: must specify one of -f and -k');
  const loaded = loadManifests(k.ctx, files, { recursive: k.flags.is('recursive') });
  if (!loaded.ok) return fail(loaded.error);
  const out = new Output();
  let differs = false;
  for (const m of loaded.value) {
    if (isBroken(m)) {
      out.error(m.error);
      continue;
    }
    const name = str(m.object, 'metadata', 'name');
    const ns = m.resource.namespaced ? str(m.object, 'metadata', 'namespace') || k.namespace : '';
    const api = apiOf(k, out, 'patch', m.resource, name);
    if (!api) continue;
    const live = objectOf(k.ctx.reader, m.resource.kind, ns, name);
    const merged = applyObject(api, m.object, { by: 'kubectl', namespace: k.namespace, dryRun: true });
    if (!merged.ok) {
      out.refused(merged.error);
      continue;
    }
    const text2 = unified(shown(live), shown(merged.value.object as unknown as Obj));
    if (text2 === '') continue;
    differs = true;
    const at = strftime('%Y-%m-%d %H:%M:%S.%N +0000', nowSeconds(k.ctx.reader), k.ctx.reader.nowUs % 1_000_000);
    const number = (side: string): number => Number.parseInt(hashText(`${side}${k.ctx.reader.nowUs}`).slice(0, 7), 16);
    const path = (side: string): string =>
      `/tmp/${side}-${number(side)}/${m.resource.version}.${m.resource.kind}.${ns || 'default'}.${name}`;
    out.stdout += `diff -u -N ${path('LIVE')} ${path('MERGED')}\n--- ${path('LIVE')}\t${at}\n+++ ${path('MERGED')}\t${at}\n${text2}`;
  }
  if (out.exit === 0 && differs) out.exit = 1;
  return out.result();
}

export const diff: Verb = {
  name: 'diff',
  acts: false,
  flags: {
    filename: text('f'),
    kustomize: text('k'),
    recursive: flag('R'),
    selector: text('l'),
    'server-side': flag(),
    'field-manager': text(),
    prune: flag(),
  },
  run,
  complete: completeNothing,
};
