import { describe, expect, test } from 'vitest';
import type { Json, WorldReader } from '../engine/base/index';
import { World } from '../engine/base/index';
import type { Span, TraceEvent } from '../engine/trace/index';
import {
  allMet,
  type LessonAction,
  type LessonContext,
  type LessonState,
  lessonHorizon,
  loudButton,
  newLesson,
  reduce,
  toldNow,
} from './lesson';
import { Finder, fits, type Trace } from './query';
import { resolve } from './questions';
import type { Scenario } from './schema';
import { stepStops } from './steps';

const both = (en: string): { en: string; zh: string } => ({ en, zh: en });

/** A lesson on a trace of nine events: a packet is made, jumps, is rewritten, arrives; a second one follows. */
const scenario: Scenario = {
  format: 1,
  id: 'test',
  chapter: 1,
  number: 1,
  level: 1,
  minutes: 1,
  next: 'other',
  seed: 1,
  title: both('t'),
  subtitle: both('s'),
  story: both('s'),
  scene: both('s'),
  task: both('t'),
  cluster: { profile: 'three-nodes', manifests: 'kind: Service' },
  start: { in: 'pod client-1', run: 'curl http://10.96.10.10', label: both('go') },
  follow: { to: '10.96.10.10:80', proto: 'tcp' },
  values: { chosen: { read: { event: { kind: 'pkt.deliver' }, field: 'packet.ip.dst' } } },
  captions: [{ at: { kind: 'pkt.rewrite' }, text: both('c') }],
  questions: [
    {
      id: 'chain',
      ask: both('which?'),
      at: { kind: 'pkt.made', packet: 1 },
      answer: { event: { kind: 'nf.rule', facts: { matched: true } }, field: 'goesTo', none: 'none' },
      options: [
        { kind: 'svc', value: 'KUBE-SVC-X' },
        { kind: 'none', value: 'none' },
      ],
    },
    {
      id: 'again',
      ask: both('again?'),
      at: { kind: 'pkt.made', packet: 2 },
      answer: { happens: { kind: 'nf.rule', packet: 2 } },
      options: [
        { kind: 'yes', value: 'yes' },
        { kind: 'no', value: 'no' },
      ],
    },
  ],
  slots: [
    {
      id: 'choice',
      title: both('the choice'),
      needs: both('a rule that matched'),
      accept: [{ event: { kind: 'nf.rule', facts: { matched: true } } }],
      refuse: [{ when: { event: { kind: 'nf.rule', facts: { matched: false } } }, say: both('it did not match') }],
    },
    {
      id: 'rewrite',
      title: both('the rewrite'),
      needs: both('a rewrite'),
      accept: [{ event: { kind: 'pkt.rewrite' } }],
    },
  ],
  goals: [
    { id: 'pins', title: both('pins'), check: { pins: ['choice', 'rewrite'] } },
    { id: 'flow', title: both('flow'), check: { flow: { from: 'pod client-1', to: '10.96.10.10:80', expect: 'ok' } } },
  ],
  hints: [both('1'), both('2'), both('3')],
  debrief: both('d'),
  myth: { id: 'E1', belief: both('b'), wrong: both('w') },
  drill: both('d'),
  solutions: [{ id: 'a', does: [{ advanceS: 1 }] }],
  near: [{ id: 'b', does: [{ advanceS: 1 }], open: ['pins'] }],
};

const span = (
  id: number,
  parent: number,
  kind: Span['kind'],
  facts: Span['facts'],
  where: Span['where'] = {},
): Span => ({
  id,
  parent,
  kind,
  label: '',
  where,
  facts,
  startSeq: 1,
});
const spans = [
  span(1, 0, 'flow', { proto: 'tcp', dst: '10.96.10.10', dport: 80 }),
  span(2, 1, 'packet', { no: 1, dir: 'original' }),
  span(3, 2, 'hook', {}, { hook: 'prerouting' }),
  span(4, 1, 'packet', { no: 2, dir: 'reply' }),
  span(5, 0, 'flow', { proto: 'udp', dst: '10.96.0.10', dport: 53 }),
];
const packet = { ip: { src: '10.244.1.100', dst: '10.244.2.10' } };
const list: readonly (readonly [string, number, Json])[] = [
  ['pkt.made', 5, {}],
  ['pkt.made', 2, {}],
  ['nf.rule', 3, { matched: false, ruleId: 'n|4|nft|nat|KUBE-SERVICES#1' }],
  [
    'nf.rule',
    3,
    {
      matched: true,
      ruleId: 'n|4|nft|nat|KUBE-SERVICES#2',
      goesTo: 'KUBE-SVC-X',
      text: '-A KUBE-SERVICES -j KUBE-SVC-X',
    },
  ],
  ['pkt.rewrite', 3, { how: 'dnat' }],
  ['pkt.deliver', 2, { packet }],
  ['pkt.made', 4, {}],
  ['ct.found', 4, {}],
  ['pkt.deliver', 4, { packet }],
];
const trace: Trace = {
  spans,
  events: list.map(
    ([kind, s, facts], i): TraceEvent => ({
      seq: i + 1,
      atUs: i,
      span: s,
      kind,
      where: { node: 'node-1' },
      facts,
      diff: [],
    }),
  ),
};
const empty = new World();
const world = (): WorldReader => empty;
const ctx: LessonContext = {
  scenario,
  resolved: resolve(scenario, trace, world),
  pins: { finder: new Finder(trace, scenario.follow), world },
  head: 9,
  origin: 0,
  world,
};
const played = (...actions: LessonAction[]): LessonState =>
  actions.reduce((s, a) => reduce(s, a, ctx), newLesson(scenario));
const pin = (seq: number): LessonAction => ({ type: 'pin', pin: { kind: 'event', seq } });
const loud = (s: LessonState, cursor: number): string =>
  loudButton(s, ctx, { cursor, more: cursor < (lessonHorizon(s, ctx.resolved) ?? ctx.head) });

describe('questions', () => {
  test('are found in the followed flow only, with the run as the answer', () => {
    expect(ctx.resolved.questions.map((q) => [q.question.id, q.askSeq, q.right, q.differsSeq])).toEqual([
      ['chain', 2, 0, 4],
      ['again', 7, 1, undefined],
    ]);
    expect(ctx.resolved.values).toEqual({ chosen: '10.244.2.10' });
    expect([...ctx.resolved.captions]).toEqual([[5, 0]]);
  });

  test('nothing beyond the first open question may be shown; each answer moves the end on', () => {
    const s = played({ type: 'start' });
    expect(lessonHorizon(s, ctx.resolved)).toBe(2);
    const one = reduce(
      reduce(s, { type: 'pick', question: 'chain', option: 0 }, ctx),
      { type: 'answer', question: 'chain' },
      ctx,
    );
    expect(one.given.chain).toEqual({ kind: 'chosen', option: 0, right: true });
    expect(lessonHorizon(one, ctx.resolved)).toBe(7);
    const two = reduce(one, { type: 'show', question: 'again' }, ctx);
    expect(lessonHorizon(two, ctx.resolved)).toBeUndefined();
  });

  test('an answer stays; none is given without a choice', () => {
    const s = played({ type: 'start' }, { type: 'answer', question: 'chain' });
    expect(s.given).toEqual({});
    const wrong = played({ type: 'pick', question: 'chain', option: 1 }, { type: 'answer', question: 'chain' });
    expect(wrong.given.chain).toEqual({ kind: 'chosen', option: 1, right: false });
    expect(reduce(wrong, { type: 'pick', question: 'chain', option: 0 }, ctx)).toBe(wrong);
    expect(reduce(wrong, { type: 'show', question: 'chain' }, ctx)).toBe(wrong);
    expect(reduce(wrong, { type: 'pick', question: 'again', option: 7 }, ctx)).toBe(wrong);
  });
});

describe('pins', () => {
  test('go to the slot they fit; a refusal says why and lasts until the next pin', () => {
    const refused = played(pin(3));
    expect(refused.slots).toEqual({
      choice: { kind: 'refused', pin: { kind: 'event', seq: 3 }, say: both('it did not match') },
    });
    const filled = reduce(refused, pin(5), ctx);
    expect(filled.slots).toEqual({ rewrite: { kind: 'filled', pin: { kind: 'event', seq: 5 } } });
    expect(reduce(filled, pin(4), ctx).slots.choice?.kind).toBe('filled');
  });

  test('a rule counts as the step at which the packet met it, and not before', () => {
    const rule = (seq: number): LessonAction => ({
      type: 'pin',
      pin: { kind: 'rule', ruleId: 'n|4|nft|nat|KUBE-SERVICES#2', seq },
    });
    expect(played(rule(3)).slots.choice?.kind).toBe('refused');
    expect(played(rule(6)).slots.choice?.kind).toBe('filled');
  });

  test('a printed rule is the rule', () => {
    const line = '-A KUBE-SERVICES -j KUBE-SVC-X';
    const token: LessonAction = {
      type: 'pin',
      pin: { kind: 'token', terminal: 'node/node-1', line, token: line, seq: 9 },
    };
    expect(played(token).slots.choice?.kind).toBe('filled');
  });

  test('a filled slot is never emptied by a pin that does not fit', () => {
    const s = played(pin(4), pin(5), pin(3));
    expect([s.slots.choice?.kind, s.slots.rewrite?.kind]).toEqual(['filled', 'filled']);
  });
});

describe('goals and the loud button', () => {
  test('a goal turns green by itself, and open again when its pin goes', () => {
    const s = played(pin(4), pin(5));
    expect(s.goals).toEqual({ pins: true, flow: false });
    expect(reduce(s, { type: 'unpin', slot: 'choice' }, ctx).goals.pins).toBe(false);
  });

  test('a flow that was tried counts until the world changes', () => {
    const key = 'pod client-1|10.96.10.10:80|ok|20|0|0|3';
    const s = played(pin(4), pin(5), { type: 'check' }, { type: 'checked', flows: { [key]: true }, head: 9 });
    expect(allMet(s, scenario)).toBe(true);
    expect(reduce(s, { type: 'moved', head: 9 }, ctx).goals.flow).toBe(true);
    expect(reduce(s, { type: 'moved', head: 12 }, ctx).goals.flow).toBe(false);
  });

  test('the next thing the lesson needs', () => {
    expect(loud(newLesson(scenario), 0)).toBe('start');
    const started = played({ type: 'start' });
    expect(loud(started, 1)).toBe('step');
    expect(loud(started, 2)).toBe('answer');
    const answered = reduce(started, { type: 'show', question: 'chain' }, ctx);
    expect(loud(answered, 3)).toBe('step');
    expect(loud(answered, 4)).toBe('pin');
    const done = [{ type: 'show', question: 'again' } as const, pin(4), pin(5)].reduce(
      (s, a) => reduce(s, a, ctx),
      answered,
    );
    expect(loud(done, 9)).toBe('check');
    const key = 'pod client-1|10.96.10.10:80|ok|20|0|0|3';
    const solved = reduce(done, { type: 'checked', flows: { [key]: true }, head: 9 }, ctx);
    expect(loud(solved, 9)).toBe('finish');
    expect(loud(reduce(solved, { type: 'end' }, ctx), 9)).toBe('next');
    expect(reduce(started, { type: 'end' }, ctx)).toBe(started);
  });

  test('while the learner tries alone no question is asked', () => {
    const alone = newLesson({ ...scenario, attempt: both('try') });
    expect(lessonHorizon(alone, toldNow(alone, ctx.resolved))).toBeUndefined();
    const walking = reduce(alone, { type: 'walk' }, ctx);
    expect(lessonHorizon(walking, toldNow(walking, ctx.resolved))).toBe(2);
  });

  test('hints open one by one, three of them', () => {
    const hint: LessonAction = { type: 'hint' };
    expect(played(hint, hint, hint, hint).hints).toBe(3);
  });
});

describe('queries and stops', () => {
  test('globs', () => {
    expect(fits('KUBE-SEP-ABC', 'KUBE-SEP-*')).toBe(true);
    expect(fits('KUBE-SEP', 'KUBE-SEP-*')).toBe(false);
    expect(fits('a-x-b-y-c', 'a*b*c')).toBe(true);
    expect(fits('ab', 'ab*b')).toBe(false);
    expect(fits(3, [1, 3])).toBe(true);
    expect(fits(undefined, 'x*')).toBe(false);
  });

  test('hooks come from the spans around an event', () => {
    const finder = new Finder(trace, scenario.follow);
    expect(finder.find({ kind: 'nf.rule', hook: 'prerouting', node: 'node-1', facts: { matched: true } })?.seq).toBe(4);
    expect(finder.find({ kind: 'nf.rule', hook: 'output' })).toBeUndefined();
    expect(finder.find({ kind: 'pkt.made', flow: 'any' })?.seq).toBe(1);
    expect(finder.find({ kind: 'pkt.made', nth: 2 })?.seq).toBe(7);
  });

  test('level 1 halts at what decides in the followed flow, level 3 everywhere', () => {
    expect([...(stepStops(trace, 1, scenario.follow, 0, [8]) ?? [])].sort()).toEqual([2, 4, 5, 6, 7, 8, 9]);
    expect(stepStops(trace, 3, scenario.follow)).toBeUndefined();
  });
});
