import { describe, expect, it } from 'vitest';
import { CoreLab } from '../../../testing/truth/dns/core';
import { KUBEADM_COREFILE } from '../../cluster/dns';
import { CorefileError, lex, parseCorefile } from './corefile';
import type { KubeSource } from './kubernetes/source';

const NO_OBJECTS: KubeSource = {
  version: () => 1,
  reachable: () => true,
  services: () => [],
  endpointSlices: () => [],
  pods: () => [],
  namespaces: () => [],
  modified: () => 0,
};

const parse = (text: string, files: Record<string, string> = {}): ReturnType<typeof parseCorefile> =>
  parseCorefile(text, 'Corefile', undefined, {
    readFile: (p) => files[p],
    getenv: (n) => (n === 'PORT' ? '5353' : ''),
  });

/** What a start with this Corefile logs. */
function startLog(corefile: string): string {
  const core = new CoreLab(1);
  core.start({ corefile, kube: undefined });
  core.waitMs(1000);
  return core.rawLog();
}

describe('Corefile grammar', () => {
  it('reads words, quotes and comments', () => {
    expect(lex('a "b c" # d\n{ e }').map((t) => t.text)).toEqual(['a', 'b c', '{', 'e', '}']);
  });

  it('reads blocks with several keys, snippets and environment variables', () => {
    const blocks = parse('(common) {\n errors\n log\n}\na.test:{$PORT}, b.test {\n import common\n whoami\n}\n');
    expect(blocks).toHaveLength(1);
    expect(blocks[0]?.keys).toEqual(['a.test:5353', 'b.test']);
    expect([...(blocks[0]?.tokens.keys() ?? [])]).toEqual(['errors', 'log', 'whoami']);
  });

  it('reads imported files', () => {
    const blocks = parse('. {\n import extra\n}\n', { extra: 'whoami\nerrors\n' });
    expect([...(blocks[0]?.tokens.keys() ?? [])]).toEqual(['whoami', 'errors']);
  });

  it.each([
    ['.:53 {\n errors\n cache 30\n', /Corefile:3 - Syntax error: Unexpected token '30', expecting '}'/],
    ['.:53 {\n nosuch\n}\n', /Corefile:2 - Error during parsing: Unknown directive 'nosuch'/],
    ['.:53 {\n forward . 10.0.0.1 {\n nosuch\n }\n}\n', /Corefile:3 - Error during parsing: unknown property 'nosuch'/],
    ['.:53 {\n whoami\n}\n.:53 {\n whoami\n}\n', /cannot serve dns:\/\/\.:53 - it is already defined/],
  ])('names the line of a mistake: %j', (text, message) => {
    expect(startLog(text)).toMatch(message);
  });

  it('an unclosed block is an error', () => {
    expect(() => parse('. {\n errors\n')).toThrow(CorefileError);
  });

  it('gives the Corefile of kubeadm the hash that CoreDNS prints', () => {
    const log = startLog(KUBEADM_COREFILE);
    expect(log).toContain('waiting for Kubernetes API');
    const core = new CoreLab(1);
    core.start({ corefile: KUBEADM_COREFILE, kube: NO_OBJECTS });
    core.waitMs(1000);
    expect(core.rawLog()).toContain(
      'SHA512 = 1b226df79860026c6a52e67daa10d7f0d57ec5b023288ec00c5e05f93523c894564e15b91770',
    );
  });
});
