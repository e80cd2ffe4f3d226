import * as z from 'zod/mini';

// Without this zod probes `new Function`, which the page's content security policy reports.
z.config({ jitless: true });

const name = z.string().check(z.regex(/^[a-z][a-z0-9-]*$/, 'lower-case letters, digits and dashes'));
const filled = z.string().check(z.minLength(1, 'a text that is not empty'));
const count = z.int().check(z.nonnegative('a whole number of 0 or more'));
/** A text in both languages. */
const text = z.strictObject({ en: filled, zh: filled });

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** A value to compare with: exactly this one, one of these, or a string with `*` for anything. */
const expected = z.union([scalar, z.array(scalar).check(z.minLength(1))]);

/**
 * Which event of the trace is meant: the nth (default first) that agrees in everything named here. Only events of the
 * flow that the lesson follows count, unless `flow: any`.
 */
const eventQuery = z.strictObject({
  kind: filled,
  node: z.optional(expected),
  netns: z.optional(expected),
  hook: z.optional(expected),
  table: z.optional(expected),
  chain: z.optional(expected),
  packet: z.optional(z.int().check(z.positive())),
  dir: z.optional(z.enum(['original', 'reply'])),
  flow: z.optional(z.literal('any')),
  /** Facts of the event by dotted path. */
  facts: z.optional(z.record(z.string(), expected)),
  nth: z.optional(z.int().check(z.positive())),
});

/** A conntrack entry: which node's, and what its fields (dotted: `orig.dst`, `reply.src`, `assured`) must be. */
const rowQuery = z.strictObject({ node: z.optional(expected), fields: z.record(z.string(), expected) });

/** What the engine is asked; the answer is a text. Nothing here is an answer. */
const read = z.union([
  /** A fact of the first event that fits, after the question; `none` is the answer when there is no such event. */
  z.strictObject({ event: eventQuery, field: filled, none: z.optional(filled) }),
  /** `yes` or `no`: whether such an event comes. */
  z.strictObject({ happens: eventQuery }),
  /** How many such events come. */
  z.strictObject({ counts: eventQuery }),
  /** Fate of a packet of the flow: delivered, dropped, rejected or unfinished. */
  z.strictObject({ fateOf: z.strictObject({ packet: z.int().check(z.positive()) }) }),
  /** The word of whichever of these events comes first; `none` when none of them comes. */
  z.strictObject({
    first: z.array(z.strictObject({ event: eventQuery, gives: filled })).check(z.minLength(1)),
    none: z.optional(filled),
  }),
  /** Whole seconds of simulated time from the question to the event. */
  z.strictObject({ secondsTo: eventQuery }),
  /** `yes` or `no`: whether an entry like this is in the table when the flow has ended. */
  z.strictObject({ entry: rowQuery }),
  /** How many rules of a table of a node's mention a text, now. */
  z.strictObject({ rules: z.strictObject({ node: filled, table: filled, mentions: filled }) }),
]);

const option = z.strictObject({
  /** The kind of answer, by which the author's sentence and near misses name it. */
  kind: name,
  /** What it claims: a candidate written here, or one read from the run. */
  value: z.union([filled, read]),
  /** Shown instead of the value. */
  label: z.optional(text),
  /** A line under it. */
  note: z.optional(text),
  /** The author's sentence when somebody chose it and it is wrong. */
  feedback: z.optional(text),
});

const question = z.strictObject({
  id: name,
  ask: text,
  /** The page stands still at this event until the question is answered. */
  at: eventQuery,
  answer: read,
  /** Event where prediction and run part; default: the event the answer was read from. */
  differs: z.optional(eventQuery),
  options: z.array(option).check(z.minLength(2, 'at least two options')),
  /** Said after the right answer. */
  right: z.optional(text),
});

/**
 * What may be pinned: a step or rule, an entry, or a printed line that has all of these (`drop>0`: a number in the form
 * `drop=12` that is greater).
 */
const pinQuery = z.union([
  z.strictObject({ event: eventQuery }),
  z.strictObject({ row: rowQuery }),
  z.strictObject({ output: z.array(filled).check(z.minLength(1)) }),
]);

const slot = z.strictObject({
  id: name,
  title: text,
  /** What is still missing, said of a pin that came too early. */
  needs: text,
  accept: z.array(pinQuery).check(z.minLength(1)),
  refuse: z.optional(z.array(z.strictObject({ when: pinQuery, say: text }))),
});

const fields = z.array(filled).check(z.minLength(1));
const check: z.ZodMiniType<Check> = z.lazy(() =>
  z.union([
    z.strictObject({ pins: z.array(name).check(z.minLength(1)) }),
    /** The notebook names a cause that holds in the world as the lesson began. */
    z.strictObject({ cause: z.literal('named') }),
    z.strictObject({
      flow: z.strictObject({
        from: filled,
        to: filled,
        expect: z.enum(['ok', 'refused', 'timeout', 'unreachable']),
        /** Connections tried, 20 unless said. */
        tries: z.optional(z.int().check(z.positive())),
        /** Seconds of simulated time between two tries, 0 unless said. */
        everyS: z.optional(count),
        /** How many different pods must have answered. */
        backends: z.optional(z.int().check(z.positive())),
        /** Seconds after which a try gives up, 3 unless said. */
        patienceS: z.optional(z.int().check(z.positive())),
      }),
    }),
    z.strictObject({
      slice: z.strictObject({
        service: filled,
        ready: count,
        /** True: only slices that the controller wrote count. */
        managed: z.optional(z.boolean()),
      }),
    }),
    z.strictObject({
      conntrack: z.strictObject({
        node: filled,
        /** Entries in percent of the limit. */
        usedBelow: z.optional(count),
        usedAtLeast: z.optional(count),
        /** Entries that must (still) be there. */
        countAtLeast: z.optional(count),
        /** `drop` of all CPUs since the lesson began. */
        dropsAtMost: z.optional(count),
      }),
    }),
    /** A sysctl's number. */
    z.strictObject({
      sysctl: z.strictObject({ netns: filled, key: filled, below: z.optional(count), atLeast: z.optional(count) }),
    }),
    /** Fields of an object that are as they were when the lesson began. */
    z.strictObject({ kept: z.strictObject({ object: filled, fields }) }),
    /** How many pods with these labels exist. */
    z.strictObject({ pods: z.strictObject({ labels: z.record(z.string(), z.string()), count }) }),
    z.strictObject({ all: z.array(check).check(z.minLength(1)) }),
    z.strictObject({ any: z.array(check).check(z.minLength(1)) }),
  ]),
);

const goal = z.strictObject({ id: name, title: text, check });

const cause = z.strictObject({ id: name, title: text, holds: check });

const place = z
  .string()
  .check(
    z.regex(/^(workstation|node \S+|pod \S+|machine \S+)$/, '"workstation", "node NAME", "pod NAME" or "machine NAME"'),
  );

/** Something a learner does. */
const action = z.union([
  z.strictObject({ run: filled, in: place }),
  z.strictObject({ apply: filled }),
  z.strictObject({ advanceS: z.int().check(z.positive()) }),
  z.strictObject({ fault: name, args: z.record(z.string(), z.unknown()) }),
  z.strictObject({ pin: z.strictObject({ slot: name, take: pinQuery }) }),
  z.strictObject({ answer: z.strictObject({ question: name, kind: name }) }),
  z.strictObject({ cause: name }),
]);

const attempt = z.strictObject({ id: name, does: z.array(action).check(z.minLength(1)) });
const nearMiss = z.strictObject({
  id: name,
  does: z.array(action).check(z.minLength(1)),
  /** Goals that must not be met after it. */
  open: z.array(name).check(z.minLength(1)),
  /** Said after a check that leaves just these goals open: what was probably done, and why it is not enough. */
  say: z.optional(z.strictObject({ when: z.optional(check), did: text, why: text })),
});

const value = z.strictObject({ read });

export const scenarioSchema = z.strictObject({
  format: z.literal(1),
  id: name,
  chapter: z.int().check(z.positive(), z.maximum(8)),
  number: z.int().check(z.positive()),
  level: z.int().check(z.positive(), z.maximum(4)),
  minutes: z.int().check(z.positive()),
  after: z.optional(name),
  next: z.optional(name),
  seed: count,
  title: text,
  subtitle: text,
  story: text,
  scene: text,
  task: text,
  cluster: z.strictObject({
    profile: z.literal('three-nodes'),
    proxyMode: z.optional(z.enum(['iptables', 'ipvs', 'nftables'])),
    proxyFlags: z.optional(z.array(filled)),
    /** Manifests in a file beside this one, before `manifests`. */
    base: z.optional(filled),
    manifests: z.optional(filled),
    sysctls: z.optional(z.array(z.strictObject({ netns: filled, key: filled, value: z.string() }))),
  }),
  /** Done before the learner comes; not part of the trace they step through. */
  setup: z.optional(z.array(action)),
  start: z.strictObject({ in: place, run: filled, label: text }),
  /** For incidents: what the learner does alone first; questions and captions come when the walk is asked for. */
  attempt: z.optional(text),
  follow: z.strictObject({ to: filled, proto: z.enum(['tcp', 'udp', 'icmp']) }),
  values: z.optional(z.record(z.string().check(z.regex(/^[a-z][A-Za-z0-9]*$/)), value)),
  captions: z.optional(z.array(z.strictObject({ at: eventQuery, text }))),
  questions: z.array(question),
  slots: z.array(slot),
  causes: z.optional(z.array(cause)),
  goals: z.array(goal).check(z.minLength(1)),
  hints: z.array(text).check(z.length(3, 'three hints: where to look, how to read it, what to do')),
  debrief: text,
  myth: z.strictObject({ id: filled, belief: text, wrong: text }),
  drill: text,
  solutions: z.array(attempt).check(z.minLength(1)),
  near: z.array(nearMiss).check(z.minLength(1)),
});

/** A condition on pins, on the world or on how a flow ends. */
export type Check =
  | { readonly pins: readonly string[] }
  | { readonly cause: 'named' }
  | {
      readonly flow: {
        readonly from: string;
        readonly to: string;
        readonly expect: 'ok' | 'refused' | 'timeout' | 'unreachable';
        readonly tries?: number | undefined;
        readonly everyS?: number | undefined;
        readonly backends?: number | undefined;
        readonly patienceS?: number | undefined;
      };
    }
  | { readonly slice: { readonly service: string; readonly ready: number; readonly managed?: boolean | undefined } }
  | {
      readonly conntrack: {
        readonly node: string;
        readonly usedBelow?: number | undefined;
        readonly usedAtLeast?: number | undefined;
        readonly countAtLeast?: number | undefined;
        readonly dropsAtMost?: number | undefined;
      };
    }
  | {
      readonly sysctl: {
        readonly netns: string;
        readonly key: string;
        readonly below?: number | undefined;
        readonly atLeast?: number | undefined;
      };
    }
  | { readonly kept: { readonly object: string; readonly fields: readonly string[] } }
  | { readonly pods: { readonly labels: Readonly<Record<string, string>>; readonly count: number } }
  | { readonly all: readonly Check[] }
  | { readonly any: readonly Check[] };

export type Scenario = z.infer<typeof scenarioSchema>;
export type EventQuery = z.infer<typeof eventQuery>;
export type RowQuery = z.infer<typeof rowQuery>;
export type Read = z.infer<typeof read>;
export type Question = z.infer<typeof question>;
export type Option = z.infer<typeof option>;
export type Slot = z.infer<typeof slot>;
export type PinQuery = z.infer<typeof pinQuery>;
export type Cause = z.infer<typeof cause>;
export type Action = z.infer<typeof action>;
export type Expected = z.infer<typeof expected>;
export type Text = z.infer<typeof text>;
