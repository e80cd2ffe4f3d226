import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndpointInfo } from './endpoints';
import { parseDuration, parseFlags } from './flags';
import { endpointChain, serviceChains } from './modes/iptables/names';
import { probability } from './modes/iptables/text';
import { nftDuration } from './modes/nftables/print';
import type { ServicePortInfo } from './serviceports';
import { categorize } from './topology';

describe('names', () => {
  it('hashes as the real one: default/kubernetes, kube-dns', () => {
    expect(serviceChains('default/kubernetes:https', 'tcp').cluster).toBe('KUBE-SVC-NPX46M4PTMTKRN6Y');
    expect(serviceChains('kube-system/kube-dns:dns', 'udp').cluster).toBe('KUBE-SVC-TCOU7JCQXEZGVUNU');
    expect(endpointChain('default/web', 'tcp', '10.244.1.10:8080')).toBe('KUBE-SEP-BSJG54EXAHTH4INO');
  });
});

describe('numbers', () => {
  it.each([
    [1, '1.0000000000'],
    [2, '0.5000000000'],
    [3, '0.3333333333'],
    [6, '0.1666666667'],
    [1001, '0.0009990010'],
  ])('1/%i is %s', (n, text) => expect(probability(n)).toBe(text));
  it('property: ten decimals, as Go rounds them', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 5000 }), (n) => probability(n) === (1 / n).toFixed(10)));
  });
  it('durations', () => {
    expect(parseDuration('1m30s')).toBe(90_000_000);
    expect(parseDuration('500ms')).toBe(500_000);
    expect(parseDuration('soon')).toBeUndefined();
    expect(nftDuration(10800)).toBe('3h');
    expect(nftDuration(90061)).toBe('1d1h1m1s');
  });
});

describe('flags', () => {
  it('refuses what kube-proxy refuses', () => {
    expect(parseFlags(['--nope'])).toEqual({ ok: false, error: 'unknown flag: --nope' });
    expect(parseFlags(['--proxy-mode=userspace']).ok).toBe(false);
    expect(parseFlags(['--masquerade-all', '--iptables-masquerade-bit=10'])).toMatchObject({
      ok: true,
      value: { masqueradeAll: true, masqueradeBit: 10 },
    });
  });
});

const port = (over: Partial<ServicePortInfo> = {}): ServicePortInfo => ({
  name: 'default/web',
  service: 'default/web',
  namespace: 'default',
  portName: '',
  protocol: 'tcp',
  clusterIp: '10.96.10.10',
  port: 80,
  nodePort: 0,
  affinitySeconds: undefined,
  externalIps: [],
  lbVips: [],
  sourceRanges: [],
  healthCheckNodePort: 0,
  internalLocal: false,
  externalLocal: false,
  ...over,
});

const ep = (ip: string, over: Partial<EndpointInfo> = {}): EndpointInfo => ({
  ip,
  port: 8080,
  text: `${ip}:8080`,
  local: false,
  ready: true,
  serving: true,
  terminating: false,
  zoneHints: [],
  nodeHints: [],
  ...over,
});
const dying = { ready: false, serving: true, terminating: true };
const ips = (list: readonly EndpointInfo[]): string[] => list.map((e) => e.ip);

describe('which endpoints a node uses', () => {
  it('ready ones; terminating ones only when none is ready', () => {
    expect(ips(categorize([ep('1.1.1.1'), ep('2.2.2.2', dying)], port(), 'n', 'z').cluster)).toEqual(['1.1.1.1']);
    expect(ips(categorize([ep('2.2.2.2', dying)], port(), 'n', 'z').cluster)).toEqual(['2.2.2.2']);
  });
  it('Local: own ones only, and says whether others exist', () => {
    const c = categorize([ep('1.1.1.1')], port({ internalLocal: true }), 'n', 'z');
    expect(c).toMatchObject({ local: [], any: true });
    expect(categorize([], port({ internalLocal: true }), 'n', 'z').any).toBe(false);
  });
  it('Local: a terminating local one beats ready ones elsewhere', () => {
    const svc = port({ externalLocal: true, nodePort: 30080 });
    const c = categorize([ep('1.1.1.1', { ...dying, local: true }), ep('2.2.2.2')], svc, 'n', 'z');
    expect(ips(c.local)).toEqual(['1.1.1.1']);
    expect(ips(c.cluster)).toEqual(['2.2.2.2']);
    expect(ips(c.reachable)).toEqual(['1.1.1.1', '2.2.2.2']);
  });
  it('hints: own node, then own zone, then everybody', () => {
    const a = ep('1.1.1.1', { zoneHints: ['a'], nodeHints: ['n1'] });
    const b = ep('2.2.2.2', { zoneHints: ['a'], nodeHints: ['n2'] });
    expect(ips(categorize([a, b], port(), 'n1', 'a').cluster)).toEqual(['1.1.1.1']);
    expect(ips(categorize([a, b], port(), 'n3', 'a').cluster)).toEqual(['1.1.1.1', '2.2.2.2']);
    expect(ips(categorize([a, b], port(), 'n3', 'c').cluster)).toEqual(['1.1.1.1', '2.2.2.2']);
    expect(ips(categorize([a, ep('3.3.3.3')], port(), 'n1', 'a').cluster)).toEqual(['1.1.1.1', '3.3.3.3']);
  });
});
