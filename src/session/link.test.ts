import fc from 'fast-check';
import { deflateSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { decodeLink, encodeLink, type LinkState, MAX_FRAGMENT } from './link';

const state: LinkState = {
  v: 1,
  scenario: 'first-packet',
  recipe: {
    format: 1,
    seed: 7,
    cluster: { profile: 'three-nodes', manifests: 'kind: Service\n' },
    commands: [
      { op: 'advance', us: 2_000_000 },
      {
        op: 'run',
        place: { kind: 'pod', namespace: 'default', name: 'client' },
        argv: ['curl', 'http://web'],
        files: { '/root/a': 'a' },
        env: { LANG: 'C' },
        cwd: '/root',
        cols: 80,
        uid: 1000,
      },
      { op: 'cut', seq: 41, command: { op: 'advance', us: 1 } },
    ],
  },
  anchor: { flow: { label: 'a > b', nth: 1 }, packet: 1, netns: 'node-1', kind: 'nf.rule', nth: 2, seq: 17, rule: 2 },
  hash: '0123456789abcdef',
  lang: 'zh',
};

function pack(value: unknown): string {
  const bytes = deflateSync(new TextEncoder().encode(JSON.stringify(value)));
  return `s=${Buffer.from(bytes).toString('base64url')}`;
}

describe('links', () => {
  it('round-trips a recipe with its step', () => {
    const back = decodeLink(`#${encodeLink(state)}`);
    expect(back).toEqual({ ok: true, value: state });
  });
  it.each([
    ['', 'link.form'],
    ['s=***', 'link.base64'],
    ['s=AAAA', 'link.deflate'],
    [`s=${'A'.repeat(MAX_FRAGMENT)}`, 'link.size'],
    [pack({ v: 2 }), 'link.schema'],
    [pack({ ...state, extra: 1 }), 'link.schema'],
    [pack({ v: 1, scenario: '../etc' }), 'link.schema'],
    [pack({ v: 1, scenario: '<img src=x onerror=alert(1)>' }), 'link.schema'],
    [pack({ v: 1, anchor: { kind: 'x', nth: -1, seq: 0 } }), 'link.schema'],
  ])('refuses %j with %s', (fragment, code) => {
    const r = decodeLink(fragment);
    expect(r.ok ? 'ok' : r.error.code).toBe(code);
  });
  it('names the field that does not fit', () => {
    const r = decodeLink(pack({ v: 1, recipe: { ...state.recipe, seed: 'seven' } }));
    expect(r.ok ? '' : r.error.field).toBe('recipe.seed');
  });
  it('stops a bomb before it has unpacked', () => {
    const bomb = deflateSync(new Uint8Array(20_000_000));
    const r = decodeLink(
      `s=${Buffer.from(bomb)
        .toString('base64url')
        .slice(0, MAX_FRAGMENT - 2)}`,
    );
    expect(r.ok ? 'ok' : r.error.code).toBe('link.size');
  });
  it('keeps prototypes clean', () => {
    const json = '{"v":1,"__proto__":{"polluted":1}}';
    const bytes = deflateSync(new TextEncoder().encode(json));
    decodeLink(`s=${Buffer.from(bytes).toString('base64url')}`);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
  it('property: any damage gives an error or a state, never an exception', () => {
    const good = encodeLink(state);
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.string({ maxLength: 3 }), (at, junk) => {
        const r = decodeLink(good.slice(0, at) + junk + good.slice(at + junk.length));
        expect(typeof r.ok).toBe('boolean');
      }),
    );
  });
});
