import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNet, KLOG, type Packet } from '../../net';
import { createCtx } from '../../trace';
import { type CtEntry, createNetfilter, IPS, NF_CONNTRACK, stateName } from '../index';

const NAT =
  '*nat\n:PREROUTING ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n-A PREROUTING -d 10.96.0.1/32 -p udp -m statistic --mode nth --every 2 --packet 0 -j DNAT --to-destination 10.0.2.5:53\n-A PREROUTING -d 10.96.0.1/32 -p udp -j DNAT --to-destination 10.0.2.6:53\n-A POSTROUTING -o b -j MASQUERADE\nCOMMIT\n';

/** A router whose devices only capture; `max` limits the table. */
function router(o: { max?: number; init?: boolean; rules?: string } = {}) {
  const ctx = createCtx(7);
  const net = createNet(ctx);
  net.addNamespace({ id: 'n', node: 'n', kind: 'node', init: o.init ?? true, inode: 4026532999 });
  for (const [name, ip] of [
    ['a', '10.0.1.1/24'],
    ['b', '10.0.2.1/24'],
  ] as const) {
    net.links.addDevice('n', { name, kind: 'eth', addrs: [ip] });
    for (let i = 2; i < 40; i++)
      net.links.setNeigh(`n:${name}`, ip.replace(/1\/24$/, String(i)), `02:00:00:00:01:${(i + 16).toString(16)}`);
  }
  net.setSysctl('n', 'net.ipv4.ip_forward', '1');
  const nf = createNetfilter(ctx, net, o.max === undefined ? {} : { conntrackMax: o.max });
  nf.restore(
    'n',
    o.rules ?? '*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -m conntrack --ctstate INVALID -j DROP\nCOMMIT\n',
  );
  let out: Packet[] = [];
  net.taps.add({ netns: 'n' }, (c) => {
    if (c.dir === 'out') out.push(c.packet);
  });
  const send = (dev: 'a' | 'b', p: Packet): Packet[] => {
    out = [];
    net.injectFrame(`n:${dev}`, p);
    ctx.sim.run({ untilUs: ctx.sim.now + 1000 });
    return out;
  };
  const entries = (): readonly CtEntry[] => ctx.world.map(NF_CONNTRACK).values();
  return { ctx, net, nf, send, entries };
}

const udp = (src: string, dst: string, sport: number, dport: number): Packet => ({
  id: 0,
  ip: { family: 4, src, dst, proto: 17, ttl: 64, tos: 0, id: 1, df: false },
  l4: { kind: 'udp', sport, dport, payload: { len: 8 } },
});
const tcp = (src: string, dst: string, sport: number, dport: number, flags: number, seq: number, ack = 0): Packet => ({
  id: 0,
  ip: { family: 4, src, dst, proto: 6, ttl: 64, tos: 0, id: 1, df: false },
  l4: { kind: 'tcp', sport, dport, seq, ack, flags, window: 65535, payload: { len: 0 } },
});

describe('connection tracking', () => {
  it('works in a namespace only while a rule needs it', () => {
    const r = router({ rules: '*filter\n:FORWARD ACCEPT [0:0]\nCOMMIT\n' });
    r.send('a', udp('10.0.1.5', '10.0.2.5', 1, 2));
    expect(r.entries()).toHaveLength(0);
    r.nf.iptables('n', ['-A', 'FORWARD', '-m', 'conntrack', '--ctstate', 'NEW'], {});
    r.send('a', udp('10.0.1.5', '10.0.2.5', 1, 2));
    expect(r.entries()).toHaveLength(1);
  });

  it('TCP: SYN, SYN/ACK, ACK, FIN both ways, and the timeouts of the states', () => {
    const r = router();
    const left = (): number => Math.round(((r.entries()[0]?.expiresAtUs ?? 0) - r.ctx.sim.now) / 1_000_000);
    const step = (dev: 'a' | 'b', flags: number, seq: number, ack: number): [string | undefined, number] => {
      r.send(
        dev,
        dev === 'a'
          ? tcp('10.0.1.5', '10.0.2.5', 1000, 80, flags, seq, ack)
          : tcp('10.0.2.5', '10.0.1.5', 80, 1000, flags, seq, ack),
      );
      return [r.entries()[0] && stateName(r.entries()[0] as CtEntry), left()];
    };
    expect(step('a', 2, 100, 0)).toEqual(['SYN_SENT', 120]);
    expect(step('b', 18, 500, 101)).toEqual(['SYN_RECV', 60]);
    expect(step('a', 16, 101, 501)).toEqual(['ESTABLISHED', 432000]);
    expect(step('a', 17, 101, 501)).toEqual(['FIN_WAIT', 120]);
    expect(step('b', 16, 501, 102)).toEqual(['CLOSE_WAIT', 60]);
    expect(step('b', 17, 501, 102)).toEqual(['LAST_ACK', 30]);
    expect(step('a', 16, 102, 502)).toEqual(['TIME_WAIT', 120]);
    r.ctx.sim.run({ untilUs: r.ctx.sim.now + 121_000_000 });
    expect(r.entries()).toHaveLength(0);
  });

  it('UDP becomes a stream when a packet comes two seconds after the first', () => {
    const r = router();
    r.send('a', udp('10.0.1.5', '10.0.2.5', 1, 53));
    r.send('b', udp('10.0.2.5', '10.0.1.5', 53, 1));
    expect((r.entries()[0]?.status ?? 0) & IPS.ASSURED).toBe(0);
    r.ctx.sim.run({ untilUs: r.ctx.sim.now + 2_100_000 });
    r.send('a', udp('10.0.1.5', '10.0.2.5', 1, 53));
    expect((r.entries()[0]?.status ?? 0) & IPS.ASSURED).toBe(IPS.ASSURED);
  });

  it('a full table drops new flows, keeps known ones and tells the kernel log', () => {
    for (const init of [true, false]) {
      const r = router({ max: 3, init });
      const sent = [1, 2, 3, 4, 5].map((p) => r.send('a', udp('10.0.1.5', '10.0.2.5', p, 53)).length);
      expect(sent).toEqual([1, 1, 1, 0, 0]);
      expect(r.send('a', udp('10.0.1.5', '10.0.2.5', 1, 53))).toHaveLength(1);
      const line = r.ctx.world.map(KLOG).values()[0]?.line;
      expect(line).toBe(`nf_conntrack: nf_conntrack: table full${init ? '' : ' in netns 4026532999'}, dropping packet`);
      expect(r.nf.conntrack('n', ['-S']).stdout).toContain('drop=2');
    }
  });

  it('property: never beyond the limit, no two entries share a tuple, answers come back as they were asked', () => {
    const flow = fc.record({
      host: fc.integer({ min: 2, max: 9 }),
      port: fc.integer({ min: 1, max: 6 }),
      service: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(flow, { minLength: 1, maxLength: 60 }), fc.integer({ min: 2, max: 30 }), (flows, max) => {
        const r = router({ max, rules: NAT });
        for (const f of flows) {
          const src = `10.0.1.${f.host}`;
          const dst = f.service ? '10.96.0.1' : '10.0.2.5';
          const [left] = r.send('a', udp(src, dst, 1000 + f.port, 53));
          expect(r.entries().length).toBeLessThanOrEqual(max);
          if (left?.l4.kind !== 'udp') continue;
          const [answer] = r.send('b', udp(left.ip.dst, left.ip.src, left.l4.dport, left.l4.sport));
          expect(answer).toMatchObject({ ip: { src: dst, dst: src }, l4: { sport: 53, dport: 1000 + f.port } });
        }
        const tuples = r
          .entries()
          .flatMap((e) => [e.orig, e.reply].map((t) => JSON.stringify([e.proto, t.src, t.sport, t.dst, t.dport])));
        expect(new Set(tuples).size).toBe(tuples.length);
      }),
      { numRuns: 40 },
    );
  });
});
