import { K8S_OBJECTS } from '../../../engine/k8s';
import { type CommandResult, fail, out as stdout } from '../../command';
import { objectOf, objectsOf } from '../../kube/api';
import { completeResources } from '../../kube/cli/complete';
import { flag, implied, text } from '../../kube/cli/flags';
import { isBroken, loadManifests } from '../../kube/cli/manifest';
import { type Group, outputOf, printObjects, sortBy, table } from '../../kube/cli/print';
import { resolve, targets } from '../../kube/cli/resolve';
import { type Kube, notFound, Output, statusText, type Verb } from '../../kube/cli/verb';
import { nameOf, namespaceOf, str } from '../../kube/fields';
import { toJson } from '../../kube/json';
import { findResource, qualified } from '../../kube/resources';

const NO_RESOURCE = `You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of supported resources.

error: Required resource not specified.
Use "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).
See 'kubectl get -h' for help and examples`;

/** Simulated time that a watch goes on when nothing ends it, us. */
const WATCH_US = 60_000_000;

function run(k: Kube): CommandResult {
  const raw = k.flags.get('raw');
  if (raw !== undefined) return getRaw(k, raw);
  const files = k.flags.all('filename');
  if (k.args.length === 0 && files.length === 0) return fail(NO_RESOURCE);
  const out = new Output();
  const t = targets(k.args);
  const named = t.ok && t.value.some((x) => x.name !== undefined);
  if (named && k.flags.is('all-namespaces'))
    return fail('error: a resource cannot be retrieved by name across all namespaces');
  if (named && k.flags.get('selector') !== undefined)
    return fail('error: name cannot be provided when a selector is specified');
  const found = files.length > 0 ? fromFiles(k, files, out) : resolve(k, out);
  if (!found) return out.result();
  const groups: Group[] = [];
  for (const g of found) {
    const by = k.flags.get('sort-by');
    if (by === undefined) groups.push(g);
    else {
      const sorted = sortBy(g.objects, by);
      if (!sorted.ok) return fail(`error: ${sorted.error}`);
      groups.push({ ...g, objects: sorted.value });
    }
  }
  const { format } = outputOf(k);
  if (format !== '' && format !== 'wide') {
    // A single object that is missing prints nothing at all.
    const single = t.ok && t.value.length === 1 && named;
    if (!(single && groups.every((g) => g.objects.length === 0))) {
      const printed = printObjects(k, groups, single);
      if (!printed.ok) out.error(printed.error);
      else out.stdout += printed.value;
    }
    return out.result();
  }
  const filled = groups.filter((g) => g.objects.length > 0);
  const several = groups.length > 1 || k.args[0]?.split(',').includes('all') === true;
  out.stdout += k.flags.is('watch-only') ? '' : filled.map((g) => table(k, g, several)).join('\n');
  if (k.flags.is('watch') || k.flags.is('watch-only')) return watch(k, groups, out);
  const quiet = k.flags.is('ignore-not-found');
  if (filled.length === 0 && out.exit === 0 && !named && !quiet) {
    const namespaced = groups.some((g) => g.resource.namespaced) && !k.flags.is('all-namespaces');
    out.stderr += namespaced ? `No resources found in ${k.namespace} namespace.\n` : 'No resources found\n';
  }
  return out.result();
}

/** Objects named by manifests. */
function fromFiles(k: Kube, files: readonly string[], out: Output): Group[] | undefined {
  const loaded = loadManifests(k.ctx, files, { recursive: k.flags.is('recursive') });
  if (!loaded.ok) {
    out.error(loaded.error);
    return undefined;
  }
  const groups: Group[] = [];
  for (const m of loaded.value) {
    if (isBroken(m)) {
      out.error(m.error);
      continue;
    }
    const name = str(m.object, 'metadata', 'name');
    const ns = m.resource.namespaced ? str(m.object, 'metadata', 'namespace') || k.namespace : '';
    const o = objectOf(k.ctx.reader, m.resource.kind, ns, name);
    if (o) groups.push({ resource: m.resource, objects: [o] });
    else out.refused(notFound(qualified(m.resource), name));
  }
  return groups;
}

/** Rows that change while the clock runs, until ^C or the request's time limit. */
function watch(k: Kube, groups: readonly Group[], out: Output): CommandResult {
  const world = k.ctx.world;
  const seconds = Number.parseFloat(k.flags.get('request-timeout') ?? '0');
  const limit = seconds > 0 ? Math.round(seconds * 1_000_000) : (k.ctx.interruptUs ?? WATCH_US);
  if (world) {
    const versions = new Map<string, string>();
    const rows = (): void => {
      for (const g of groups) {
        const wanted = new Set(g.objects.map(nameOf));
        for (const o of objectsOf(k.ctx.reader, g.resource.kind, g.resource.namespaced ? k.namespace : '')) {
          if (k.args.length > 1 && !wanted.has(nameOf(o))) continue;
          const key = `${g.resource.kind}/${namespaceOf(o)}/${nameOf(o)}`;
          const version = str(o, 'metadata', 'resourceVersion');
          if (versions.get(key) === version) continue;
          const first = versions.size === 0 || !started;
          versions.set(key, version);
          if (!first)
            out.stdout += table(k, { resource: g.resource, objects: [o] }, false)
              .split('\n')
              .slice(1)
              .join('\n');
        }
      }
    };
    let started = false;
    rows();
    started = true;
    const map = k.ctx.reader.map(K8S_OBJECTS);
    const end = k.ctx.reader.nowUs + limit;
    while (k.ctx.reader.nowUs < end) {
      const at = map.version;
      if (!world.runUntil(() => map.version !== at, end - k.ctx.reader.nowUs)) break;
      rows();
    }
  }
  // The request's own limit ends a watch quietly; ^C ends it with 1.
  if (seconds <= 0) out.exit = 1;
  return out.result();
}

function getRaw(k: Kube, path: string): CommandResult {
  if (path === '/version') return stdout(VERSION);
  if (path === '/healthz' || path === '/livez' || path === '/readyz') return stdout('ok');
  const m = /^\/api(?:s\/([^/]+))?\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?$/.exec(path);
  const resource = m && findResource(m[1] === undefined ? (m[4] as string) : `${m[4]}.${m[1]}`);
  if (!m || !resource) return fail('Error from server (NotFound): the server could not find the requested resource');
  if (m[5] === undefined) {
    const items = objectsOf(k.ctx.reader, resource.kind, m[3] ?? '');
    return stdout(`${toJson({ kind: `${resource.kind}List`, apiVersion: m[2] as string, items }, 2)}\n`);
  }
  const o = objectOf(k.ctx.reader, resource.kind, m[3] ?? '', m[5]);
  return o ? stdout(`${toJson(o, 2)}\n`) : fail(statusText(notFound(qualified(resource), m[5])));
}

const VERSION = `{
  "major": "1",
  "minor": "37",
  "emulationMajor": "1",
  "emulationMinor": "37",
  "minCompatibilityMajor": "1",
  "minCompatibilityMinor": "36",
  "gitVersion": "v1.37.2",
  "gitCommit": "$Format:%H$",
  "gitTreeState": "",
  "buildDate": "1970-01-01T00:00:00Z",
  "goVersion": "go1.26.8",
  "compiler": "gc",
  "platform": "linux/amd64"
}`;

export const get: Verb = {
  name: 'get',
  acts: false,
  flags: {
    output: text('o'),
    selector: text('l'),
    'field-selector': text(),
    'all-namespaces': flag('A'),
    filename: text('f'),
    recursive: flag('R'),
    watch: flag('w'),
    'watch-only': flag(),
    'output-watch-events': flag(),
    'ignore-not-found': flag(),
    'label-columns': text('L'),
    'no-headers': flag(),
    'show-kind': flag(),
    'show-labels': flag(),
    'show-managed-fields': flag(),
    'sort-by': text(),
    raw: text(),
    template: text(),
    'chunk-size': text(),
    'allow-missing-template-keys': implied('true'),
    'server-print': implied('true'),
    kustomize: text('k'),
    subresource: text(),
  },
  run,
  complete: completeResources,
};
