import { type CommandResult, fail } from '../../command';
import { type Obj, objectOf } from '../../kube/api';
import { completeResources } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { resolve } from '../../kube/cli/resolve';
import { type Kube, Output, objectName, type Verb } from '../../kube/cli/verb';
import { list, nameOf, namespaceOf, str } from '../../kube/fields';
import { jsonPath } from '../../kube/jsonpath';
import { qualified } from '../../kube/resources';

/** Go's time.ParseDuration for whole units, in microseconds; undefined for other text. */
export function parseDuration(textOf: string): number | undefined {
  if (/^-?\d+$/.test(textOf)) return Number(textOf) * 1_000_000;
  let total = 0;
  let rest = textOf;
  const units: Readonly<Record<string, number>> = { us: 1, ms: 1000, s: 1_000_000, m: 60_000_000, h: 3_600_000_000 };
  while (rest !== '') {
    const m = /^(\d+(?:\.\d+)?)(us|ms|s|m|h)/.exec(rest);
    if (!m) return undefined;
    total += Math.round(Number(m[1]) * (units[m[2] as string] as number));
    rest = rest.slice(m[0].length);
  }
  return total;
}

function run(k: Kube): CommandResult {
  const wanted = k.flags.get('for');
  if (wanted === undefined || wanted === '') return fail('error: unrecognized condition: ""');
  const limit = parseDuration(k.flags.get('timeout') ?? '30s') ?? 30_000_000;
  const out = new Output();
  const groups = resolve(k, out);
  if (!groups) return out.result();
  const objects = groups.flatMap((g) => g.objects.map((o) => ({ resource: g.resource, o })));
  if (objects.length === 0 && out.exit === 0) return fail('error: no matching resources found');
  const holds = holder(wanted);
  if (!holds) return fail(`error: unrecognized condition: ${JSON.stringify(wanted)}`);
  const end = k.ctx.reader.nowUs + limit;
  for (const { resource, o } of objects) {
    const now = (): Obj | undefined => objectOf(k.ctx.reader, resource.kind, namespaceOf(o), nameOf(o));
    const met =
      holds(now()) || (k.ctx.world?.runUntil(() => holds(now()), Math.max(0, end - k.ctx.reader.nowUs)) ?? false);
    if (met) out.line(`${objectName(o)} ${wanted === 'delete' ? 'condition met' : 'condition met'}`);
    else out.error(`error: timed out waiting for the condition on ${qualified(resource)}/${nameOf(o)}`);
  }
  return out.result();
}

/** `delete`, `create`, `condition=Ready[=value]`, `jsonpath={...}[=value]`. */
function holder(wanted: string): ((o: Obj | undefined) => boolean) | undefined {
  if (wanted === 'delete') return (o) => o === undefined;
  if (wanted === 'create') return (o) => o !== undefined;
  const c = /^condition=([^=]+)(?:=(.*))?$/.exec(wanted);
  if (c) {
    const value = (c[2] ?? 'true').toLowerCase();
    return (o) =>
      list(o, 'status', 'conditions').some(
        (x) =>
          str(x, 'type').toLowerCase() === (c[1] as string).toLowerCase() && str(x, 'status').toLowerCase() === value,
      );
  }
  const j = /^jsonpath='?(\{.*\})'?(?:=(.*))?$/.exec(wanted);
  if (j) {
    return (o) => {
      const r = o && jsonPath(j[1] as string, o as never);
      return r?.ok === true && (j[2] === undefined ? r.value !== '' : r.value === j[2]);
    };
  }
  return undefined;
}

export const wait: Verb = {
  name: 'wait',
  acts: true,
  flags: {
    for: text(),
    timeout: text(),
    selector: text('l'),
    'field-selector': text(),
    all: flag(),
    'all-namespaces': flag('A'),
    filename: text('f'),
    recursive: flag('R'),
    output: text('o'),
  },
  run,
  complete: completeResources,
};
