import { describe, expect, it } from 'vitest';
import { createCtx } from '../trace/context';
import { createNet, type Net } from './net';
import { NO_PAYLOAD, type Packet, TCP } from './types';

/** Two namespaces joined by one veth pair: a 10.0.0.1/24, b 10.0.0.2/24. */
function pair(seed = 1): Net {
  const net = createNet(createCtx(seed));
  for (const id of ['a', 'b']) net.addNamespace({ id, node: id, kind: 'machine', init: true });
  net.links.addVeth(
    { netns: 'a', name: 'eth0', addrs: ['10.0.0.1/24'] },
    { netns: 'b', name: 'eth0', addrs: ['10.0.0.2/24'] },
  );
  return net;
}

const echo = (src: string, dst: string, over: Partial<Packet['ip']> = {}): Packet => ({
  id: 0,
  ip: { family: 4, src, dst, proto: 1, ttl: 64, tos: 0, id: 1, df: true, ...over },
  l4: { kind: 'icmp', type: 8, code: 0, id: 77, seq: 1, payload: { len: 56 } },
});
const syn = (src: string, dst: string, dport: number): Packet => ({
  id: 0,
  ip: { family: 4, src, dst, proto: 6, ttl: 64, tos: 0, id: 1, df: true },
  l4: { kind: 'tcp', sport: 40000, dport, seq: 1000, ack: 0, flags: TCP.SYN, window: 64240, payload: NO_PAYLOAD },
});

/** Everything that entered a namespace from outside, as `label src > dst`. */
function heard(net: Net, netns: string): Packet[] {
  const out: Packet[] = [];
  net.taps.add({ netns }, (c) => {
    if (c.dir === 'in') out.push(c.packet);
  });
  return out;
}

describe('two namespaces and a veth', () => {
  it('an echo request is answered', () => {
    const net = pair();
    const got = heard(net, 'a');
    expect(net.sendRaw('a', echo('10.0.0.1', '10.0.0.2'))).toBeUndefined();
    net.ctx.sim.run({});
    expect(got.map((p) => [p.ip.src, p.ip.dst, p.l4.kind === 'icmp' && p.l4.type])).toEqual([
      ['10.0.0.2', '10.0.0.1', 0],
    ]);
    const kinds = net.ctx.trace.events.map((e) => e.kind).filter((k) => k !== 'state.changed');
    expect(kinds.slice(0, 4)).toEqual(['pkt.made', 'route', 'dev.xmit', 'dev.rcv']);
    const flows = net.ctx.trace.spans.filter((s) => s.kind === 'flow');
    expect(flows).toHaveLength(1);
    expect(net.ctx.trace.spans.filter((s) => s.kind === 'packet').map((s) => [s.parent, s.label, s.facts.dir])).toEqual(
      [
        [flows[0]?.id, 'echo-request', 'original'],
        [flows[0]?.id, 'echo-reply', 'reply'],
      ],
    );
  });

  it('a closed TCP port answers RST, a closed UDP port an ICMP error', () => {
    const net = pair();
    const got = heard(net, 'a');
    net.sendRaw('a', syn('10.0.0.1', '10.0.0.2', 80));
    net.sendRaw('a', {
      ...syn('10.0.0.1', '10.0.0.2', 80),
      ip: { ...syn('', '', 0).ip, src: '10.0.0.1', dst: '10.0.0.2', proto: 17 },
      l4: { kind: 'udp', sport: 5000, dport: 53, payload: { len: 3 } },
    });
    net.ctx.sim.run({});
    expect(got[0]?.l4).toMatchObject({ kind: 'tcp', flags: TCP.RST | TCP.ACK, seq: 0, ack: 1001, window: 0 });
    expect(got[1]?.l4).toMatchObject({ kind: 'icmp', type: 3, code: 3, inner: { l4: { dport: 53 } } });
  });

  it('an address that nobody has fails after 3 s with host unreachable', () => {
    const net = pair();
    const got = heard(net, 'a');
    net.sendRaw('a', echo('10.0.0.1', '10.0.0.9'));
    net.ctx.sim.run({});
    expect(net.ctx.sim.now).toBe(3_000_002);
    expect(got.map((p) => [p.ip.src, p.l4])).toMatchObject([['10.0.0.1', { type: 3, code: 1 }]]);
  });

  it('no route and wrong source are errors of the sender', () => {
    const net = pair();
    expect(net.sendRaw('a', echo('10.0.0.1', '192.0.2.1'))).toBe('ENETUNREACH');
    net.links.addRoute('a', { dst: '192.0.2.0/24', kind: 'unreachable' });
    net.links.addRoute('a', { dst: '192.0.3.0/24', kind: 'prohibit' });
    net.links.addRoute('a', { dst: '192.0.4.0/24', kind: 'blackhole' });
    expect(net.sendRaw('a', echo('10.0.0.1', '192.0.2.1'))).toBe('EHOSTUNREACH');
    expect(net.sendRaw('a', echo('10.0.0.1', '192.0.3.1'))).toBe('EACCES');
    expect(net.sendRaw('a', echo('10.0.0.1', '192.0.4.1'))).toBe('EINVAL');
    expect(net.sendRaw('a', echo('127.0.0.1', '10.0.0.2'))).toBe('EINVAL');
  });
});
