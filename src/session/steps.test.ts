import { describe, expect, it } from 'vitest';
import { createCtx } from '../engine/trace';
import { anchorOf, prefixHash, resolveAnchor } from './anchor';
import { step, type TraceView } from './steps';

/** Two packets of one flow (request, reply), two hooks each, a chain inside; `extra` shifts every number. */
function trace(extra = 0, chain = 'KUBE-SVC-A'): TraceView {
  const ctx = createCtx(1);
  const t = ctx.trace;
  for (let i = 0; i < extra; i++) t.emitAlways('kernel.log', { line: `line ${i}` });
  t.inSpan({ kind: 'command', label: 'curl' }, () => {
    t.inSpan({ kind: 'flow', label: 'client > web' }, () => {
      for (const dir of ['request', 'reply']) {
        t.inSpan({ kind: 'packet', label: dir, facts: { dir } }, () => {
          t.inSpan({ kind: 'netns', label: 'node-1', where: { netns: 'node-1' } }, () => {
            for (const hook of ['prerouting', 'postrouting']) {
              const where = { netns: 'node-1', hook, table: 'nat', chain };
              t.inSpan({ kind: 'hook', label: hook, where }, () => {
                t.emit('nf.policy', { chain: 'X', policy: 'ACCEPT', number: 1 }, where);
                t.inSpan({ kind: 'chain', label: chain, where }, () => {
                  t.emit('nf.return', { chain, number: 1, to: 'X' }, where);
                  t.emit('nf.return', { chain, number: 2, to: 'X' }, where);
                });
              });
            }
          });
        });
      }
    });
  });
  return { events: t.events, spans: t.spans };
}

describe('stepping', () => {
  const t = trace();
  it('into goes event by event, both ways, and stops at the horizon and the start', () => {
    expect(step(t, 1, 'into')).toBe(2);
    expect(step(t, 2, 'into', -1)).toBe(1);
    expect(step(t, 1, 'into', -1)).toBeUndefined();
    expect(step(t, 4, 'into', 1, 4)).toBeUndefined();
    expect(step(t, t.events.length, 'into')).toBeUndefined();
  });
  it('over does not enter the chain below, out leaves the span', () => {
    expect(step(t, 1, 'over')).toBe(4);
    expect(step(t, 2, 'out')).toBe(4);
    expect(step(t, 3, 'out', -1)).toBe(1);
  });
  it('finds the next hook, packet and the reply', () => {
    expect(step(t, 1, 'nextHook')).toBe(4);
    expect(step(t, 1, 'nextPacket')).toBe(7);
    expect(step(t, 2, 'untilReply')).toBe(7);
    expect(step(t, 7, 'untilReply')).toBeUndefined();
    expect(step(t, 1, 'nextRewrite')).toBeUndefined();
  });
  it('halts only where the level halts', () => {
    expect(step(t, 1, 'into', 1, t.events.length, new Set([5, 6]))).toBe(5);
  });
});

describe('anchors', () => {
  it('find the same step in the same trace by number', () => {
    const t = trace();
    const a = anchorOf(t, 9);
    expect(a && resolveAnchor(t, a, prefixHash(t, 9))).toEqual({ cursor: 9, how: 'same' });
  });
  it('find the step after every number has shifted', () => {
    const a = anchorOf(trace(), 9);
    const later = trace(5);
    expect(a && resolveAnchor(later, a, prefixHash(trace(), 9))).toEqual({ cursor: 14, how: 'anchor' });
  });
  it('open the nearest enclosing span when the step is gone', () => {
    const a = anchorOf(trace(), 12);
    const found = a && resolveAnchor(trace(2, 'KUBE-SVC-B'), a, 'ffffffffffffffff');
    expect(found).toEqual({ cursor: 12, how: 'nearest' });
  });
  it('clip to the trace when nothing of it exists', () => {
    expect(resolveAnchor(trace(), { kind: 'nf.rule', flow: { label: 'x', nth: 1 }, nth: 1, seq: 900 })).toEqual({
      cursor: 12,
      how: 'lost',
    });
  });
});
