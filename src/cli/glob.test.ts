import { describe, expect, it } from 'vitest';
import { globToRegExp } from './glob';
import { parseKnown } from './known';

describe('globs over record ids', () => {
  it.each([
    ['clusterip-*', 'clusterip-nth#3', true],
    ['*', 'a/b', false],
    ['*/*', 'a/b', true],
    ['01-*/iptables/*', '01-single-endpoint/iptables/same-node', true],
    ['a.c', 'abc', false],
    ['tcp-{life,rst}-*', 'tcp-rst-established', true],
    ['0[1-3]-x', '02-x', true],
    ['0[!1-3]-x', '02-x', false],
    ['a?c', 'a/c', false],
  ])('%s on %s: %s', (glob, id, fits) => expect(globToRegExp(glob).test(id)).toBe(fits));
});

describe('the list of known failures', () => {
  it('reads glob, count and reason', () => {
    expect(parseKnown('# comment\n\nipvs/* · 12 · issue 5\n')).toEqual([
      { glob: 'ipvs/*', count: 12, reason: 'issue 5' },
    ]);
  });
  it('names the line that does not fit', () => {
    expect(() => parseKnown('ipvs/* · many · x')).toThrow('line 1');
  });
});
