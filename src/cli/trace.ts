import { readFileSync } from 'node:fs';
import { addLanguage, traceLine } from '../explain';
import { zh } from '../explain/zh';
import { SessionProblem } from '../session/problem';
import type { PlaceRef, Recipe } from '../session/protocol';
import { Session } from '../session/session';
import { inside } from '../session/steps';

export interface TraceArgs {
  readonly objects: string;
  /** `pod NAMESPACE/NAME`, `node NAME`, `outside`; or just a pod's name. */
  readonly from: string;
  /** URL or ADDRESS[:PORT] that curl is given. */
  readonly to: string;
  readonly json: boolean;
  readonly lang: 'en' | 'zh';
  readonly seed: number;
}

/** The place that a word names. */
export function placeNamed(word: string): PlaceRef {
  if (word === 'workstation') return { kind: 'workstation' };
  const [kind, name] = word.includes(' ') ? word.split(' ', 2) : ['', word];
  if (kind === 'node' || (kind === '' && /^node-\d+$/.test(word))) return { kind: 'node', name: name ?? word };
  if (kind === 'machine' || word === 'outside') return { kind: 'machine', name: name ?? word };
  const [namespace, pod] = (name ?? word).includes('/') ? (name ?? word).split('/', 2) : ['default', name ?? word];
  return { kind: 'pod', namespace: namespace ?? 'default', name: pod ?? '' };
}

/** Applies the objects, sends one curl and prints the way of its first connection. Exit code: curl's. */
export function runTrace(args: TraceArgs, print: (line: string) => void): number {
  const recipe: Recipe = {
    format: 1,
    seed: args.seed,
    cluster: { profile: 'three-nodes', manifests: readFileSync(args.objects, 'utf8') },
    commands: [],
  };
  if (args.lang === 'zh') addLanguage('zh', zh);
  try {
    const s = Session.open(recipe);
    const argv = ['curl', '-s', '-S', '-m', '10', args.to];
    const r = s.do({ op: 'run', place: placeNamed(args.from), argv, line: argv.join(' ') });
    const flow = r.landSeq === undefined ? undefined : s.trace.events[r.landSeq - 1]?.span;
    const root = flow === undefined ? undefined : flowOf(s, flow);
    const events = s.trace.events.filter(
      (e) => root !== undefined && inside(s.trace, e.span, root) && e.kind !== 'state.changed',
    );
    if (args.json) {
      print(
        JSON.stringify({
          from: args.from,
          to: args.to,
          exit: r.exit,
          stdout: r.stdout,
          stderr: r.stderr,
          hash: s.hash(),
          events,
        }),
      );
      return r.exit;
    }
    for (const e of events) print(traceLine(e, { lang: args.lang, spans: s.trace.spans }));
    if (r.stdout !== '') print(r.stdout.trimEnd());
    if (r.stderr !== '') print(r.stderr.trimEnd());
    return r.exit;
  } catch (e) {
    if (!(e instanceof SessionProblem)) throw e;
    const { file, line, field, message, expected } = e.error;
    print(
      `${file ?? args.objects}${line === undefined ? '' : `:${line}`}: ${field ? `${field}: ` : ''}${message}${expected ? ` (expected ${expected})` : ''}`,
    );
    return 2;
  }
}

function flowOf(s: Session, span: number): number | undefined {
  for (let id = span; id !== 0; ) {
    const sp = s.trace.spans[id - 1];
    if (!sp) return undefined;
    if (sp.kind === 'flow') return sp.id;
    id = sp.parent;
  }
  return undefined;
}
