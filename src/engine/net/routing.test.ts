import { describe, expect, it } from 'vitest';
import { createCtx } from '../trace/context';
import { createNet, type Net } from './net';
import type { Packet } from './types';

/** A router with two legs and a default route; hosts behind both. */
function router(): Net {
  const net = createNet(createCtx(1));
  for (const id of ['r', 'h1', 'h2']) net.addNamespace({ id, node: id, kind: 'machine', init: true });
  net.links.addVeth(
    { netns: 'r', name: 'left', addrs: ['10.1.0.1/24'] },
    { netns: 'h1', name: 'eth0', addrs: ['10.1.0.2/24'] },
  );
  net.links.addVeth(
    { netns: 'r', name: 'right', addrs: ['10.2.0.1/24'] },
    { netns: 'h2', name: 'eth0', addrs: ['10.2.0.2/24'] },
  );
  net.links.addRoute('h1', { dst: 'default', via: '10.1.0.1' });
  net.links.addRoute('h2', { dst: 'default', via: '10.2.0.1' });
  net.setSysctl('r', 'net.ipv4.ip_forward', '1');
  return net;
}
const udp = (src: string, dst: string, over: Partial<Packet['ip']> = {}): Packet => ({
  id: 0,
  ip: { family: 4, src, dst, proto: 17, ttl: 64, tos: 0, id: 1, df: true, ...over },
  l4: { kind: 'udp', sport: 5000, dport: 9, payload: { len: 10 } },
});
describe('lookup', () => {
  it.each([
    ['10.2.0.9', { kind: 'unicast', oif: 'r:right', prefsrc: '10.2.0.1' }],
    ['10.2.0.1', { kind: 'local', oif: 'r:lo', prefsrc: '10.2.0.1' }],
    ['10.2.0.255', { kind: 'broadcast', oif: 'r:right' }],
    ['127.5.5.5', { kind: 'local', oif: 'r:lo', prefsrc: '127.0.0.1' }],
    ['192.0.2.1', { kind: 'unreachable', errno: 'ENETUNREACH' }],
    ['10.3.0.1', { kind: 'unicast', oif: 'r:left', via: '10.1.0.2' }],
    ['10.3.7.1', { kind: 'blackhole', errno: 'EINVAL' }],
    ['10.3.7.9', { kind: 'unicast', oif: 'r:right', via: '10.2.0.2' }],
  ])('%s', (dst, want) => {
    const net = router();
    net.links.addRoute('r', { dst: '10.3.0.0/16', via: '10.1.0.2' });
    net.links.addRoute('r', { dst: '10.3.7.0/24', kind: 'blackhole' });
    net.links.addRoute('r', { dst: '10.3.7.9', via: '10.2.0.2' });
    expect(net.lookupRoute('r', { dst })).toMatchObject(want);
  });

  it('the lower metric wins, equal ones go by age', () => {
    const net = router();
    net.links.addRoute('r', { dst: '10.9.0.0/16', via: '10.1.0.2', metric: 200 });
    net.links.addRoute('r', { dst: '10.9.0.0/16', via: '10.2.0.2', metric: 100 });
    expect(net.lookupRoute('r', { dst: '10.9.1.1' }).via).toBe('10.2.0.2');
  });

  it('what ip route refuses', () => {
    const { links } = router();
    expect(links.addRoute('r', { dst: '10.9.0.0/16', via: '192.0.2.1' })).toEqual({ ok: false, error: 'ENETUNREACH' });
    expect(links.addRoute('r', { dst: '10.9.0.0/16', dev: 'nosuch' })).toEqual({ ok: false, error: 'ENODEV' });
    expect(links.addRoute('r', { dst: '10.9.0.0/16', via: '192.0.2.1', dev: 'left', onlink: true }).ok).toBe(true);
    expect(links.addRoute('r', { dst: '10.9.0.0/16', via: '10.1.0.2' })).toEqual({ ok: false, error: 'EEXIST' });
    expect(links.delRoute('r', { dst: '10.8.0.0/16' })).toEqual({ ok: false, error: 'ESRCH' });
  });

  it('routes of a device that goes down are gone; coming up restores the connected one only', () => {
    const net = router();
    net.links.setLink('h1:eth0', false);
    expect(net.lookupRoute('h1', { dst: '10.1.0.1' }).errno).toBe('ENETUNREACH');
    net.links.setLink('h1:eth0', true);
    expect(net.lookupRoute('h1', { dst: '10.1.0.1' }).oif).toBe('h1:eth0');
    expect(net.lookupRoute('h1', { dst: '10.2.0.2' }).errno).toBe('ENETUNREACH');
  });
});

describe('what a router drops', () => {
  it('nothing on the good way', () => {
    const net = router();
    const got: string[] = [];
    net.taps.add({ dev: 'h2:eth0' }, (c) => c.dir === 'in' && got.push(`${c.packet.ip.src} ttl ${c.packet.ip.ttl}`));
    net.sendRaw('h1', udp('10.1.0.2', '10.2.0.2'));
    net.ctx.sim.run({});
    expect(got).toEqual(['10.1.0.2 ttl 63']);
  });
  it.each([
    ['ttl 1', udp('10.1.0.2', '10.2.0.2', { ttl: 1 }), {}, 'ttl-exceeded'],
    ['no forwarding', udp('10.1.0.2', '10.2.0.2'), { 'net.ipv4.ip_forward': '0' }, 'forwarding-disabled'],
    ['loopback destination', udp('10.1.0.2', '127.0.0.1'), {}, 'martian-destination'],
    ['its own address as source', udp('10.2.0.1', '10.2.0.2'), {}, 'martian-source'],
    ['multicast source', udp('224.0.0.5', '10.2.0.2'), {}, 'martian-source'],
    [
      'wrong way round with rp_filter 1',
      udp('10.2.0.9', '10.2.0.2'),
      { 'net.ipv4.conf.all.rp_filter': '1' },
      'rp-filter',
    ],
    [
      'unknown source with rp_filter 2',
      udp('192.0.2.7', '10.2.0.2'),
      { 'net.ipv4.conf.all.rp_filter': '2' },
      'rp-filter',
    ],
    ['nowhere to go', udp('10.1.0.2', '192.0.2.1'), {}, 'no-route'],
  ])('%s', (_name, packet, sysctls, reason) => {
    const net = router();
    for (const [k, v] of Object.entries(sysctls)) net.setSysctl('r', k, v);
    net.injectFrame('r:left', packet);
    net.ctx.sim.run({});
    const e = net.ctx.trace.events.find((x) => x.kind === 'pkt.drop');
    expect(e?.facts).toMatchObject({ cause: { reason } });
  });
  it('a direct neighbour that takes a detour is redirected, ever more seldom', () => {
    const net = router();
    net.links.addRoute('r', { dst: '10.7.0.0/16', via: '10.1.0.9' });
    net.links.setNeigh('r:left', '10.1.0.9', '02:00:00:00:00:99');
    let redirects = 0;
    net.taps.add({ dev: 'h1:eth0' }, (c) => {
      if (c.dir === 'in' && c.packet.l4.kind === 'icmp' && c.packet.l4.type === 5) redirects++;
    });
    // At once, then after more than 40, 80, 160 ms: the fourth would come after the last packet.
    for (let i = 0; i < 30; i++) {
      net.sendRaw('h1', udp('10.1.0.2', '10.7.0.1'));
      net.ctx.sim.run({ untilUs: net.ctx.sim.now + 10_000 });
    }
    expect(redirects).toBe(3);
  });
});

describe('UDP sockets', () => {
  it('a connected one hears that a port is closed, an unconnected one does not', () => {
    const net = router();
    const { sockets } = net;
    const a = sockets.socket('h1', 'udp', { uid: 0 });
    sockets.connect(a, { ip: '10.2.0.2', port: 99 });
    expect(sockets.send(a, { len: 1, text: 'x' })).toEqual({ ok: true, value: 1 });
    const b = sockets.socket('h1', 'udp', { uid: 0 });
    sockets.send(b, { len: 1, text: 'x' }, { ip: '10.2.0.2', port: 99 });
    net.ctx.sim.run({});
    expect(sockets.send(a, { len: 1, text: 'x' })).toEqual({ ok: false, error: 'ECONNREFUSED' });
    expect(sockets.send(a, { len: 1, text: 'x' }).ok).toBe(true);
    expect(sockets.takeError(b)).toBeUndefined();
  });
  it('with IP_RECVERR also what is not fatal, with its reporter', () => {
    const net = router();
    const { sockets } = net;
    const a = sockets.socket('h1', 'udp', { uid: 0 });
    sockets.setOption(a, 'IP_RECVERR', 1);
    sockets.connect(a, { ip: '192.0.2.9', port: 9 });
    sockets.send(a, { len: 1, text: 'x' });
    net.ctx.sim.run({});
    expect(sockets.recvError(a)).toMatchObject({ errno: 'ENETUNREACH', type: 3, code: 0, offender: '10.1.0.1' });
  });
  it('answers go to who asked', () => {
    const net = router();
    const { sockets } = net;
    const s = sockets.socket('h2', 'udp', { uid: 0 });
    sockets.bind(s, { ip: '0.0.0.0', port: 53 });
    const c = sockets.socket('h1', 'udp', { uid: 0 });
    sockets.connect(c, { ip: '10.2.0.2', port: 53 });
    sockets.send(c, { len: 2, text: 'hi' });
    net.ctx.sim.run({});
    const q = sockets.recv(s);
    expect(q).toMatchObject({ value: { payload: { text: 'hi' }, from: { ip: '10.1.0.2' }, ttl: 63 } });
    if (q.ok) sockets.send(s, { len: 3, text: 'yes' }, q.value.from);
    net.ctx.sim.run({});
    expect(sockets.recv(c)).toMatchObject({ value: { payload: { text: 'yes' } } });
    expect(net.ctx.trace.spans.filter((x) => x.kind === 'flow')).toHaveLength(1);
  });
});

describe('kernel log', () => {
  it('ten lines in five seconds, then how many were suppressed', () => {
    const net = router();
    for (let i = 0; i < 25; i++) net.klogRatelimited('r', `line ${i}`);
    net.ctx.sim.run({ untilUs: 6_000_000 });
    net.klogRatelimited('r', 'later');
    const lines = net.ctx.trace.events
      .filter((e) => e.kind === 'kernel.log')
      .map((e) => (e.facts as { line: string }).line);
    expect(lines).toHaveLength(12);
    expect(lines.slice(9)).toEqual(['line 9', 'net_ratelimit: 15 callbacks suppressed', 'later']);
  });
});

describe('sysctl', () => {
  it('refuses what the kernel refuses', () => {
    const net = router();
    expect(net.setSysctl('r', 'net.ipv4.ip_forward', 'abc')).toEqual({ ok: false, error: 'EINVAL' });
    expect(net.setSysctl('r', 'net.ipv4.foo', '1')).toEqual({ ok: false, error: 'ENOENT' });
    expect(net.setSysctl('r', 'net.ipv4.ip_local_port_range', '60000 1000')).toEqual({ ok: false, error: 'EINVAL' });
    expect(net.setSysctl('r', 'net.ipv4.conf.nosuch.rp_filter', '1')).toEqual({ ok: false, error: 'ENOENT' });
  });
  it('ip_forward is the switch of every device', () => {
    const net = router();
    expect(net.sysctl('r', 'net.ipv4.conf.left.forwarding')).toBe('1');
    net.setSysctl('r', 'net.ipv4.conf.left.forwarding', '0');
    expect(net.sysctl('r', 'net.ipv4.conf.right.forwarding')).toBe('1');
    net.setSysctl('r', 'net.ipv4.ip_forward', '1');
    expect(net.sysctl('r', 'net.ipv4.conf.left.forwarding')).toBe('1');
  });
});
