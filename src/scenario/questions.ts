import type { WorldReader } from '../engine/base/index';
import { Finder, type Trace } from './query';
import { type Answer, type ReadContext, readValue } from './read';
import type { Option, Question, Scenario } from './schema';

/** An option with the value that it claims in this run. */
export interface ResolvedOption {
  readonly kind: string;
  readonly value: string;
  readonly option: Option;
}

/** A question in a run: where it stands, what may be chosen, what happened. */
export interface ResolvedQuestion {
  readonly question: Question;
  /** Cursor at which it is asked; nothing beyond may be shown until it is answered. */
  readonly askSeq: number;
  readonly options: readonly ResolvedOption[];
  /** Index of the option that the run bears out, -1 when none does (a mistake of the author's). */
  readonly right: number;
  readonly answer: Answer;
  /** First event where a wrong prediction and the run part. */
  readonly differsSeq: number | undefined;
}

/** Everything about a scenario that the trace so far decides. */
export interface Resolved {
  /** The questions whose event has happened, in the order of the trace. */
  readonly questions: readonly ResolvedQuestion[];
  readonly values: Readonly<Record<string, string>>;
  /** Author's sentences by seq of their event. */
  readonly captions: ReadonlyMap<number, number>;
}

/** Resolves questions, values and captions against a trace; pure, so that it can be kept per length of the trace. */
export function resolve(s: Scenario, trace: Trace, world: (cursor: number) => WorldReader, origin = 0): Resolved {
  const finder = new Finder(trace, s.follow);
  const questions: ResolvedQuestion[] = [];
  for (const q of s.questions) {
    const at = finder.find(q.at, origin);
    if (!at) continue;
    const ctx: ReadContext = { finder, at, world };
    const answer = readValue(q.answer, ctx);
    if (!answer) continue;
    const options = q.options.flatMap((option): ResolvedOption[] => {
      const value = typeof option.value === 'string' ? option.value : readValue(option.value, ctx)?.value;
      return value === undefined ? [] : [{ kind: option.kind, value, option }];
    });
    const flow = finder.flow(at);
    const differs = q.differs && finder.find(q.differs, at.seq, q.differs.flow === 'any' ? undefined : flow);
    questions.push({
      question: q,
      askSeq: at.seq,
      options,
      right: options.findIndex((o) => o.value === answer.value),
      answer,
      differsSeq: differs?.seq ?? (answer.seq > 0 ? answer.seq : undefined),
    });
  }
  questions.sort((a, b) => a.askSeq - b.askSeq);
  const values: Record<string, string> = {};
  for (const [name, v] of Object.entries(s.values ?? {})) {
    const found = readValue(v.read, { finder, at: undefined, from: origin, world });
    if (found) values[name] = found.value;
  }
  const captions = new Map<number, number>();
  s.captions?.forEach((c, i) => {
    const e = finder.find(c.at, origin);
    if (e) captions.set(e.seq, i);
  });
  return { questions, values, captions };
}

/** Last cursor that may be shown: where the first question without an answer stands. Undefined: no bound. */
export function horizonOf(resolved: Resolved, answered: (id: string) => boolean): number | undefined {
  return resolved.questions.find((q) => !answered(q.question.id))?.askSeq;
}
