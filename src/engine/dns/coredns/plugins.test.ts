import { describe, expect, it } from 'vitest';
import { CoreLab } from '../../../testing/truth/dns/core';
import { askOnce, buildQuery, type QueryOptions } from '../../../testing/truth/dns/server';
import { type DnsMsg, rrText } from '../message';
import type { KubeSource } from './kubernetes/source';
import { DIRECTIVES, PLUGINS } from './plugins/index';

const meta = (name: string, namespace = 'default') => ({ name, namespace });
const KUBE: KubeSource = {
  version: () => 1,
  reachable: () => true,
  services: () => [
    {
      metadata: meta('web'),
      spec: { clusterIP: '10.96.1.1', ports: [{ name: 'http', protocol: 'TCP', port: 80 }] },
    },
    { metadata: meta('ext'), spec: { type: 'ExternalName', externalName: 'www.example.com' } },
  ],
  endpointSlices: () => [],
  pods: () => [{ metadata: meta('client'), status: { podIP: '10.244.1.51', phase: 'Running' } }],
  namespaces: () => [{ metadata: { name: 'default' } }],
  modified: () => 1,
};

interface Case {
  readonly plugin: string;
  readonly from: string;
  readonly query: string;
  readonly options?: QueryOptions;
  readonly expect: string;
  readonly answers?: readonly string[];
  readonly log?: RegExp;
}

function lab(corefile: string): CoreLab {
  const core = new CoreLab(3);
  core.start({ corefile, kube: KUBE });
  core.waitMs(500);
  return core;
}

function ask(core: CoreLab, query: string, options: QueryOptions = {}): DnsMsg | undefined {
  const [name = '', type = 'A'] = query.split(' ');
  let out: DnsMsg | undefined;
  let ended = false;
  const ip = '10.244.1.51';
  core.lab.spawn(
    core.pod(ip),
    (sys) =>
      askOnce(sys, ip, buildQuery(name, type, options, 4711), 'udp', 9_000_000, (m) => {
        out = m;
        ended = true;
      }),
    { argv: [], files: () => undefined, output: () => undefined },
  );
  core.waitMs(10_000, () => ended);
  core.waitMs(1);
  return out;
}

const UP = 'forward . 10.0.0.53';
const CASES: readonly Case[] = [
  { plugin: 'whoami', from: '.:53 { whoami }', query: 'a.test. A', expect: 'NOERROR' },
  {
    plugin: 'acl',
    from: `.:53 { acl { block type A net 10.244.1.51/32 } \n ${UP} }`,
    query: 'www.example.com. A',
    expect: 'REFUSED',
  },
  {
    plugin: 'any',
    from: `.:53 { any \n ${UP} }`,
    query: 'www.example.com. ANY',
    expect: 'NOERROR',
    answers: ['www.example.com. 8482 IN HINFO "ANY obsoleted" "See RFC 8482"'],
  },
  { plugin: 'bind', from: `.:53 { bind 10.96.0.10 \n ${UP} }`, query: 'www.example.com. A', expect: 'NOERROR' },
  {
    plugin: 'bufsize',
    from: `.:53 { bufsize 512 \n ${UP} }`,
    query: 'big.example.com. A',
    options: { edns: 4096 },
    expect: 'NOERROR',
  },
  {
    plugin: 'cache',
    from: `.:53 { cache 30 \n ${UP} }`,
    query: 'www.example.com. A',
    expect: 'NOERROR',
    answers: ['www.example.com. 30 IN A 203.0.113.80'],
  },
  {
    plugin: 'chaos',
    from: '.:53 { chaos V1 me@example.com }',
    query: 'version.bind. TXT',
    options: { qclass: 'CH' },
    expect: 'NOERROR',
    answers: ['version.bind. 0 CH TXT "V1"'],
  },
  { plugin: 'debug', from: `.:53 { debug \n ${UP} }`, query: 'www.example.com. A', expect: 'NOERROR' },
  {
    plugin: 'dns64',
    from: `.:53 { dns64 {\n allow_ipv4 \n}\n ${UP} }`,
    query: 'v4only.example.com. AAAA',
    expect: 'NOERROR',
    answers: ['v4only.example.com. 300 IN AAAA 64:ff9b::cb00:7104'],
  },
  {
    plugin: 'errors',
    from: '.:53 { errors \n forward . 10.0.0.59 }',
    query: 'www.example.com. A',
    expect: 'SERVFAIL',
    log: /plugin\/errors: 2 www\.example\.com\. A: .*connection refused/,
  },
  { plugin: 'forward', from: `.:53 { ${UP} }`, query: 'api.example.com. A', expect: 'NOERROR' },
  { plugin: 'health', from: `.:53 { health \n ${UP} }`, query: 'www.example.com. A', expect: 'NOERROR' },
  {
    plugin: 'hosts',
    from: '.:53 { hosts { \n 10.1.2.3 a.test \n } }',
    query: 'a.test. A',
    expect: 'NOERROR',
    answers: ['a.test. 3600 IN A 10.1.2.3'],
  },
  {
    plugin: 'kubernetes',
    from: '.:53 { kubernetes cluster.local }',
    query: 'web.default.svc.cluster.local. A',
    expect: 'NOERROR',
    answers: ['web.default.svc.cluster.local. 5 IN A 10.96.1.1'],
  },
  {
    plugin: 'kubernetes',
    from: '.:53 { kubernetes cluster.local }',
    query: 'no.default.svc.cluster.local. A',
    expect: 'NXDOMAIN',
  },
  {
    plugin: 'kubernetes',
    from: `.:53 { kubernetes cluster.local \n ${UP} }`,
    query: 'ext.default.svc.cluster.local. A',
    expect: 'NOERROR',
    answers: ['ext.default.svc.cluster.local. 5 IN CNAME www.example.com.', 'www.example.com. 300 IN A 203.0.113.80'],
  },
  { plugin: 'loadbalance', from: `.:53 { loadbalance \n ${UP} }`, query: 'www.example.com. A', expect: 'NOERROR' },
  {
    plugin: 'local',
    from: `.:53 { local \n ${UP} }`,
    query: 'localhost. A',
    expect: 'NOERROR',
    answers: ['localhost. 604800 IN A 127.0.0.1'],
  },
  {
    plugin: 'log',
    from: `.:53 { log \n ${UP} }`,
    query: 'www.example.com. A',
    expect: 'NOERROR',
    log: /"A IN www\.example\.com\. udp 33 false 512" NOERROR qr,aa,rd,ra 64 /,
  },
  { plugin: 'loop', from: `.:53 { loop \n ${UP} }`, query: 'www.example.com. A', expect: 'NOERROR' },
  { plugin: 'minimal', from: `.:53 { minimal \n ${UP} }`, query: 'www.example.com. A', expect: 'NOERROR' },
  { plugin: 'prometheus', from: `.:53 { prometheus :9153 \n ${UP} }`, query: 'www.example.com. A', expect: 'NOERROR' },
  { plugin: 'ready', from: `.:53 { ready \n ${UP} }`, query: 'www.example.com. A', expect: 'NOERROR' },
  { plugin: 'reload', from: `.:53 { reload 2s 1s \n ${UP} }`, query: 'www.example.com. A', expect: 'NOERROR' },
  {
    plugin: 'rewrite',
    from: `.:53 { rewrite name a.test www.example.com \n ${UP} }`,
    query: 'a.test. A',
    expect: 'NOERROR',
    answers: ['a.test. 300 IN A 203.0.113.80'],
  },
  {
    plugin: 'template',
    from: '.:53 { template IN A test { \n answer "{{ .Name }} 60 IN A 10.9.9.9" \n } }',
    query: 'x.test. A',
    expect: 'NOERROR',
    answers: ['x.test. 60 IN A 10.9.9.9'],
  },
  {
    plugin: 'transfer',
    from: '.:53 { transfer {\n to * \n}\n kubernetes cluster.local }',
    query: 'web.default.svc.cluster.local. A',
    expect: 'NOERROR',
  },
];

/** Writes a Corefile on several lines: braces end lines there. */
const lines = (text: string): string => text.replace(/\{ /g, '{\n').replace(/ \}/g, '\n}');

describe('each plugin does its work', () => {
  it.each(CASES)('$plugin: $query', (c) => {
    const core = lab(lines(c.from));
    const m = ask(core, c.query, c.options);
    expect(m?.rcode, core.rawLog()).toBe(c.expect);
    if (c.answers) expect(m?.answer.map(rrText)).toEqual(c.answers);
    if (c.log) expect(core.rawLog()).toMatch(c.log);
  });

  it('autopath: answers the first search name for all that follow', () => {
    const core = lab(lines(`.:53 { autopath @kubernetes \n kubernetes cluster.local { pods verified } \n ${UP} }`));
    const m = ask(core, 'www.example.com.default.svc.cluster.local. A');
    expect(m?.answer.map(rrText)).toEqual([
      'www.example.com.default.svc.cluster.local. 300 IN CNAME www.example.com.',
      'www.example.com. 300 IN A 203.0.113.80',
    ]);
  });

  it('file: serves a zone from a file', () => {
    const core = new CoreLab(3);
    core.start({
      corefile: '.:53 {\n file /etc/coredns/a.db a.test\n}\n',
      kube: undefined,
      more: {
        '/etc/coredns/a.db': 'a.test. 60 IN SOA ns.a.test. host.a.test. 1 2 3 4 5\nwww.a.test. 60 IN A 10.1.1.1\n',
      },
    });
    core.waitMs(500);
    expect(ask(core, 'www.a.test. A')?.answer.map(rrText)).toEqual(['www.a.test. 60 IN A 10.1.1.1']);
    expect(ask(core, 'no.a.test. A')?.rcode).toBe('NXDOMAIN');
  });

  it('every plugin has a place in the order of CoreDNS', () => {
    expect(PLUGINS.map((p) => p.name).filter((n) => !DIRECTIVES.includes(n))).toEqual([]);
    const chain = ['reload', 'errors', 'log', 'rewrite', 'autopath', 'cache', 'hosts', 'kubernetes', 'file', 'forward'];
    const places = chain.map((n) => DIRECTIVES.indexOf(n));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });
});
