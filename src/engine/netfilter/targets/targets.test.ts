import { describe, expect, it } from 'vitest';
import { createNet, KLOG, type Net, type Packet } from '../../net';
import { createCtx } from '../../trace';
import { createNetfilter, type Netfilter, NF_CONNTRACK } from '../index';
import { TARGETS } from './index';

interface Out {
  readonly dev: string;
  readonly packet: Packet;
}

/** A router between two devices that only capture. */
class World {
  readonly net: Net;
  readonly nf: Netfilter;
  private out: Out[] = [];

  constructor(rules: string) {
    const ctx = createCtx(1);
    this.net = createNet(ctx);
    this.net.addNamespace({ id: 'n', node: 'n', kind: 'node', init: true });
    for (const [name, ip] of [
      ['a', '10.0.1.1/24'],
      ['b', '10.0.2.1/24'],
    ] as const) {
      this.net.links.addDevice('n', { name, kind: 'eth', addrs: [ip] });
      for (let i = 2; i < 20; i++) {
        this.net.links.setNeigh(
          `n:${name}`,
          ip.replace(/1\/24$/, String(i)),
          `02:00:00:00:00:${(i + 10).toString(16)}`,
        );
      }
    }
    this.net.setSysctl('n', 'net.ipv4.ip_forward', '1');
    this.nf = createNetfilter(ctx, this.net);
    this.nf.ipset.run('n', ['create', 'S', 'hash:ip']);
    const r = this.nf.restore('n', rules);
    expect(r, JSON.stringify(r)).toMatchObject({ ok: true });
    this.net.taps.add({ netns: 'n' }, (c) => {
      if (c.dir === 'out') this.out.push({ dev: c.dev, packet: c.packet });
    });
  }

  /** What leaves when a packet comes in by device a. */
  send(packet: Packet): Out[] {
    this.out = [];
    this.net.injectFrame('n:a', packet);
    this.nf.ctx.sim.run({ untilUs: this.nf.ctx.sim.now + 1000 });
    return this.out;
  }
}

const tcp = (o: { dst?: string; dport?: number; flags?: number; sport?: number; mss?: number } = {}): Packet => ({
  id: 0,
  ip: { family: 4, src: '10.0.1.5', dst: o.dst ?? '10.0.2.5', proto: 6, ttl: 64, tos: 0, id: 1, df: false },
  l4: {
    kind: 'tcp',
    sport: o.sport ?? 40000,
    dport: o.dport ?? 80,
    seq: 1,
    ack: 0,
    flags: o.flags ?? 2,
    window: 1000,
    options: { mss: o.mss ?? 1460 },
    payload: { len: 0 },
  },
});

const table = (name: string, chain: string, ...rules: string[]): string =>
  `*${name}\n:${chain} ACCEPT [0:0]\n${rules.map((r) => `-A ${chain} ${r}\n`).join('')}COMMIT\n`;
const first = (out: Out[]): Packet => {
  expect(out.length).toBeGreaterThan(0);
  return (out[0] as Out).packet;
};

type Check = (w: World) => void;
const CASES: Readonly<Record<string, readonly [rules: string, check: Check]>> = {
  AUDIT: [table('filter', 'FORWARD', '-j AUDIT --type accept'), (w) => expect(w.send(tcp())).toHaveLength(1)],
  CONNMARK: [
    table('mangle', 'FORWARD', '-p tcp -j CONNMARK --set-xmark 0x7/0xffffffff'),
    (w) => {
      w.send(tcp());
      expect(w.nf.ctx.world.map(NF_CONNTRACK).values()[0]?.mark).toBe(7);
    },
  ],
  CT: [
    table('raw', 'PREROUTING', '-p tcp -j CT --notrack') +
      table('filter', 'FORWARD', '-m conntrack ! --ctstate UNTRACKED -j DROP'),
    (w) => {
      expect(w.send(tcp())).toHaveLength(1);
      expect(w.nf.ctx.world.map(NF_CONNTRACK).size).toBe(0);
    },
  ],
  DNAT: [
    table('nat', 'PREROUTING', '-d 10.96.0.1/32 -p tcp -j DNAT --to-destination 10.0.2.9:8080'),
    (w) => {
      expect(first(w.send(tcp({ dst: '10.96.0.1' })))).toMatchObject({ ip: { dst: '10.0.2.9' }, l4: { dport: 8080 } });
      expect(first(w.send(tcp({ sport: 2 })))).toMatchObject({ ip: { dst: '10.0.2.5' } });
    },
  ],
  DSCP: [table('mangle', 'FORWARD', '-j DSCP --set-dscp 0x0a'), (w) => expect(first(w.send(tcp())).ip.tos).toBe(40)],
  HL: [
    '',
    (w) =>
      expect(
        w.nf.iptables('n', ['-t', 'mangle', '-A', 'FORWARD', '-j', 'HL', '--hl-dec', '1'], { family: 6 }).exit,
      ).toBe(0),
  ],
  LOG: [
    table('filter', 'FORWARD', '-j LOG --log-prefix "seen: "'),
    (w) => {
      w.send(tcp());
      expect(w.nf.ctx.world.map(KLOG).values()[0]?.line).toMatch(
        /^seen: IN=a OUT=b .*SRC=10\.0\.1\.5 DST=10\.0\.2\.5 .*PROTO=TCP SPT=40000 DPT=80 .*SYN/,
      );
    },
  ],
  MARK: [
    table('mangle', 'PREROUTING', '-j MARK --set-xmark 0x4000/0x4000') +
      table('filter', 'FORWARD', '-m mark --mark 0x4000/0x4000 -j DROP'),
    (w) => expect(w.send(tcp())).toHaveLength(0),
  ],
  MASQUERADE: [
    table('nat', 'POSTROUTING', '-o b -j MASQUERADE'),
    (w) => expect(first(w.send(tcp()))).toMatchObject({ ip: { src: '10.0.2.1' }, l4: { sport: 40000 } }),
  ],
  NETMAP: [
    table('nat', 'PREROUTING', '-d 10.9.9.0/24 -j NETMAP --to 10.0.2.0/24'),
    (w) => expect(first(w.send(tcp({ dst: '10.9.9.7' }))).ip.dst).toBe('10.0.2.7'),
  ],
  NFLOG: [table('filter', 'FORWARD', '-j NFLOG --nflog-group 5'), (w) => expect(w.send(tcp())).toHaveLength(1)],
  NFQUEUE: [
    table('filter', 'FORWARD', '-p tcp -m tcp --dport 81 -j NFQUEUE --queue-num 1', '-j NFQUEUE --queue-num 0'),
    (w) => {
      const held: (() => void)[] = [];
      w.nf.listenQueue('n', 0, (_p, accept) => held.push(accept));
      expect(w.send(tcp({ dport: 81 }))).toHaveLength(0);
      expect(w.send(tcp())).toHaveLength(0);
      held[0]?.();
      expect(held).toHaveLength(1);
    },
  ],
  NOTRACK: [
    table('raw', 'PREROUTING', '-j NOTRACK') + table('filter', 'FORWARD', '-m conntrack --ctstate UNTRACKED -j DROP'),
    (w) => expect(w.send(tcp())).toHaveLength(0),
  ],
  REDIRECT: [
    `${table('nat', 'PREROUTING', '-p tcp -m tcp --dport 80 -j REDIRECT --to-ports 8080')}`,
    (w) => {
      // Nobody listens on 8080: the machine itself answers, as the address that was asked for.
      expect(first(w.send(tcp()))).toMatchObject({
        ip: { src: '10.0.2.5', dst: '10.0.1.5' },
        l4: { sport: 80, flags: 20 },
      });
    },
  ],
  REJECT: [
    table('filter', 'FORWARD', '-p tcp -m tcp --dport 81 -j REJECT --reject-with tcp-reset', '-p tcp -j REJECT'),
    (w) => {
      expect(first(w.send(tcp({ dport: 81 })))).toMatchObject({ l4: { kind: 'tcp', flags: 20, ack: 2 } });
      expect(first(w.send(tcp()))).toMatchObject({ l4: { kind: 'icmp', type: 3, code: 3 } });
    },
  ],
  SET: [
    table('filter', 'FORWARD', '-j SET --add-set S src'),
    (w) => {
      w.send(tcp());
      expect(w.nf.ipset.run('n', ['test', 'S', '10.0.1.5']).exit).toBe(0);
      expect(w.nf.ipset.run('n', ['test', 'S', '10.0.1.6']).exit).toBe(1);
    },
  ],
  SNAT: [
    table('nat', 'POSTROUTING', '-p tcp -j SNAT --to-source 10.0.2.1:1000-1001'),
    (w) => {
      const ports = [1, 2]
        .map((n) => first(w.send(tcp({ sport: 5000 + n }))).l4)
        .map((l) => (l.kind === 'tcp' ? l.sport : 0));
      expect([...ports].sort()).toEqual([1000, 1001]);
      expect(w.send(tcp({ sport: 5003 }))).toHaveLength(0);
    },
  ],
  TCPMSS: [
    table('mangle', 'FORWARD', '-p tcp -m tcp --tcp-flags SYN,RST SYN -j TCPMSS --set-mss 1000'),
    (w) => {
      expect(first(w.send(tcp()))).toMatchObject({ l4: { options: { mss: 1000 } } });
      expect(first(w.send(tcp({ mss: 500, sport: 2 })))).toMatchObject({ l4: { options: { mss: 500 } } });
    },
  ],
  TRACE: [table('raw', 'PREROUTING', '-j TRACE'), (w) => expect(w.send(tcp())).toHaveLength(1)],
  TTL: [table('mangle', 'PREROUTING', '-j TTL --ttl-set 10'), (w) => expect(first(w.send(tcp())).ip.ttl).toBe(9)],
};

describe('targets', () => {
  it('each target of the list has a case', () => {
    expect(TARGETS.map((t) => t.name).filter((n) => CASES[n] === undefined)).toEqual([]);
  });

  for (const [name, [rules, check]] of Object.entries(CASES)) {
    it(name, () => {
      check(new World(rules === '' ? table('filter', 'FORWARD') : rules));
    });
  }

  it('a target in a place where the kernel refuses it leaves everything as it was', () => {
    const w = new World(table('filter', 'FORWARD'));
    const before = w.nf.save(w.nf.ctx.world, 'n');
    const r = w.nf.iptables('n', ['-A', 'FORWARD', '-j', 'MASQUERADE'], {});
    expect(r).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('RULE_APPEND failed (Invalid argument): rule in chain FORWARD'),
    });
    expect(w.nf.save(w.nf.ctx.world, 'n')).toBe(before);
  });

  it('a rule with an unknown extension loads, prints as it was and never matches', () => {
    const w = new World(table('filter', 'FORWARD', '-p tcp -m string --algo bm --string x -j DROP'));
    expect(w.send(tcp())).toHaveLength(1);
    expect(w.nf.save(w.nf.ctx.world, 'n')).toContain('-A FORWARD -p tcp -m string --algo bm --string x -j DROP\n');
    expect(w.nf.ctx.trace.events.some((e) => e.kind === 'assumed')).toBe(true);
  });
});
