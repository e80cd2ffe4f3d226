import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchNames } from '../cli/dighost';
import { validHostname } from './glibcanswer';
import { glibcCandidates, glibcConf } from './glibcconf';
import { goCandidates, goConf, isDomainName } from './goconf';
import { lookupHosts } from './hosts';
import { muslCandidates, muslConf } from './musl';
import { inetAton, literal } from './numeric';

const POD =
  'search default.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n';
const S = ['default.svc.cluster.local.', 'svc.cluster.local.', 'cluster.local.'];
const glibc = (name: string, text = POD): string[] => glibcCandidates(name, glibcConf(text, {}));
const go = (name: string, text = POD): string[] => goCandidates(name, goConf(text));
const musl = (name: string, text = POD): string[] =>
  muslCandidates(name, muslConf(text)).map((n) => n.replace(/\.?$/, '.'));

describe('names that a look-up tries', () => {
  it.each([
    ['mysql', [...S.map((s) => `mysql.${s}`), 'mysql.']],
    ['www.example.com', [...S.map((s) => `www.example.com.${s}`), 'www.example.com.']],
    ['mysql.prod.svc.cluster.local.', ['mysql.prod.svc.cluster.local.']],
  ])('%s: glibc, musl and Go alike', (name, want) => {
    expect(glibc(name)).toEqual(want);
    expect(musl(name)).toEqual(want);
    expect(go(name)).toEqual(want);
  });

  it('enough dots: the name itself first; only musl leaves it at that', () => {
    const name = 'a.b.c.d.e.f';
    expect(glibc(name)).toEqual([`${name}.`, ...S.map((s) => `${name}.${s}`)]);
    expect(go(name)).toEqual([`${name}.`, ...S.map((s) => `${name}.${s}`)]);
    expect(musl(name)).toEqual([`${name}.`]);
  });

  it('property: the list depends on name, search and ndots only, and holds the absolute name once', () => {
    const label = fc.stringMatching(/^[a-z]{1,8}$/);
    const name = fc.array(label, { minLength: 1, maxLength: 7 }).map((l) => l.join('.'));
    const search = fc.array(
      fc.array(label, { minLength: 1, maxLength: 3 }).map((l) => l.join('.')),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(name, search, fc.nat(7), (n, list, ndots) => {
        const text = `${list.length ? `search ${list.join(' ')}\n` : ''}nameserver 10.0.0.1\noptions ndots:${ndots}\n`;
        for (const of of [glibc, go, musl]) {
          const got = of(n, text);
          expect(got).toEqual(of(n, `# comment\n${text.replace('10.0.0.1', '10.0.0.2')}`));
          expect(got.filter((x) => x === `${n}.`)).toHaveLength(1);
        }
        const bind = searchNames(n, { search: list, ndots }, true);
        expect(bind[n.split('.').length - 1 >= ndots ? 0 : bind.length - 1]).toBe(`${n}.`);
      }),
      { numRuns: 100 },
    );
  });
});

describe('resolv.conf', () => {
  it('limits: three servers, ndots 15, attempts 5, timeout 30', () => {
    const text = `${[1, 2, 3, 4].map((i) => `nameserver 10.0.0.${i}\n`).join('')}options ndots:99 attempts:9 timeout:99\n`;
    expect(glibcConf(text, {})).toMatchObject({
      nameservers: ['10.0.0.1', '10.0.0.2', '10.0.0.3'],
      ndots: 15,
      attempts: 5,
      timeout: 30,
    });
    expect(goConf(text)).toMatchObject({ servers: ['10.0.0.1', '10.0.0.2', '10.0.0.3'], ndots: 15, attempts: 9 });
  });
  it('the environment wins over the file for glibc', () => {
    expect(glibcConf(POD, { LOCALDOMAIN: 'a.test', RES_OPTIONS: 'ndots:1' })).toMatchObject({
      search: ['a.test'],
      ndots: 1,
    });
  });
  it('no server: the machine itself', () => {
    expect(glibcConf('', {}).nameservers).toEqual(['127.0.0.1']);
    expect(goConf('').servers).toEqual(['127.0.0.1', '::1']);
  });
});

describe('names and numbers', () => {
  it('old forms of addresses are addresses for libc', () => {
    expect(inetAton('1.2.3')).toBe('1.2.0.3');
    expect(inetAton('0x7f.1')).toBe('127.0.0.1');
    expect(inetAton('1.2.3.256')).toBeUndefined();
    expect(literal('10.0.0.1', 'inet6')).toBe('none');
  });
  it('who may be asked for', () => {
    expect([validHostname('a_b.c'), validHostname('a b'), validHostname('a..b')]).toEqual([true, false, false]);
    expect([isDomainName('1.2.3'), isDomainName('-a.b'), isDomainName('a-b.c.')]).toEqual([false, false, true]);
  });
  it('/etc/hosts: letter case counts for musl only', () => {
    const text = '127.0.0.1 localhost me # here\n::1 localhost\n';
    expect(lookupHosts(text, 'ME', 'unspec', false)).toEqual({
      addrs: [{ family: 4, ip: '127.0.0.1' }],
      canon: 'localhost',
      aliases: ['me'],
    });
    expect(lookupHosts(text, 'ME', 'unspec', true)).toBeUndefined();
  });
});
