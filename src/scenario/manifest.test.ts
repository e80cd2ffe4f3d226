import { describe, expect, it } from 'vitest';
import { readManifest } from './manifest';

const ok = (text: string) => {
  const r = readManifest(text, 'f.yaml');
  if (!r.ok) throw new Error(r.error.message);
  return r.documents;
};

describe('manifest', () => {
  it('reads documents and knows where each field stands', () => {
    const [a, b] = ok(
      'kind: Service\nspec:\n  ports:\n  - port: 80\n    targetPort: web\n---\n# nothing\n---\nkind: Pod\n',
    );
    expect(a?.value).toEqual({ kind: 'Service', spec: { ports: [{ port: 80, targetPort: 'web' }] } });
    expect(a?.positionOf('spec.ports[0].targetPort')).toEqual({ line: 5, column: 5 });
    expect(a?.positionOf('spec.ports[0].protocol')).toEqual({ line: 4, column: 5 });
    expect(b?.value).toEqual({ kind: 'Pod' });
    expect(b?.line).toBe(9);
  });
  it('reads booleans of YAML 1.1, no dates and no base-60 numbers', () => {
    const [d] = ok('a: yes\nb: off\nc: 2026-01-01\nd: 1:30\ne: "80"\nf: 0x10\ng: fd00::1\nh: ~\n');
    expect(d?.value).toEqual({ a: true, b: false, c: '2026-01-01', d: '1:30', e: '80', f: 16, g: 'fd00::1', h: null });
  });
  it('keeps the last of two equal keys and tells', () => {
    const [d] = ok('spec:\n  type: ClusterIP\n  type: NodePort\n');
    expect(d?.value).toEqual({ spec: { type: 'NodePort' } });
    expect(d?.duplicates).toEqual([{ field: 'spec.type', at: { line: 3, column: 3 } }]);
  });
  it('names file, line and column of what does not parse', () => {
    const r = readManifest('apiVersion: v1\nkind: Service\n metadata:\n  name: x\n', 'bad.yaml');
    expect(r).toMatchObject({ ok: false, error: { file: 'bad.yaml', line: 2 } });
  });
  it.each([
    [
      'aliases that grow',
      `${'a0: &a0 [x]\n'}${Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i},*a${i},*a${i}]\n`).join('')}`,
    ],
    ['brackets without end', '['.repeat(5000)],
    ['too many characters', ' '.repeat(5_000_000)],
  ])('refuses %s', (_, text) => expect(readManifest(text).ok).toBe(false));
  it('keeps __proto__ a plain key', () => {
    const [d] = ok('__proto__:\n  polluted: true\n');
    expect(Object.keys(d?.value as object)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
