import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import schedule from '../../../../truth/conntrack/syn_schedule.json';
import { createCtx } from '../../trace/context';
import { ACCEPT, type HookFn, type Packet, TCP } from '..';
import { createNet, type Net } from '../net';

function pair(seed = 1, mtu = 1500): Net {
  const net = createNet(createCtx(seed));
  for (const id of ['a', 'b']) net.addNamespace({ id, node: id, kind: 'machine', init: true });
  net.links.addVeth(
    { netns: 'a', name: 'eth0', mtu, addrs: ['10.0.0.1/24'] },
    { netns: 'b', name: 'eth0', mtu, addrs: ['10.0.0.2/24'] },
  );
  return net;
}

/** A hook function that drops what `lost` says. */
function dropping(net: Net, netns: string, lost: (p: Packet) => boolean): HookFn {
  const fn: HookFn = {
    name: 'filter',
    hook: 'prerouting',
    family: 4,
    priority: 0,
    run: (skb) => (lost(skb.packet) ? { kind: 'drop', cause: { reason: 'rule', hook: 'prerouting' } } : ACCEPT),
  };
  net.hooks.register(netns, fn);
  return fn;
}

function listener(net: Net, port = 80, backlog = 16): string {
  const l = net.sockets.socket('b', 'tcp', { uid: 0 });
  net.sockets.bind(l, { ip: '0.0.0.0', port });
  net.sockets.listen(l, backlog);
  return l;
}
function client(net: Net, port = 80, ip = '10.0.0.2'): string {
  const c = net.sockets.socket('a', 'tcp', { uid: 0, pid: '1' });
  expect(net.sockets.connect(c, { ip, port })).toEqual({ ok: false, error: 'EINPROGRESS' });
  return c;
}
/** An established connection: client and server socket. */
function connected(net: Net): { c: string; s: string } {
  const l = listener(net);
  const c = client(net);
  net.ctx.sim.run({ untilUs: net.ctx.sim.now + 1000 });
  const a = net.sockets.accept(l);
  if (!a.ok) throw new Error(a.error);
  return { c, s: a.value.id };
}
const state = (net: Net, id: string): string => net.sockets.get(id)?.state ?? 'gone';
const settle = (net: Net, us = 5000): void => void net.ctx.sim.run({ untilUs: net.ctx.sim.now + us });

/** Segments seen on a's wire as `FLAGS len`, with `<` for incoming ones. */
function wire(net: Net): string[] {
  const out: string[] = [];
  net.taps.add({ dev: 'a:eth0' }, ({ dir, packet }) => {
    if (packet.l4.kind !== 'tcp') return;
    const f = packet.l4.flags;
    const name = [
      [TCP.SYN, 'S'],
      [TCP.FIN, 'F'],
      [TCP.RST, 'R'],
      [TCP.PSH, 'P'],
      [TCP.ACK, '.'],
    ]
      .filter(([bit]) => (f & (bit as number)) !== 0)
      .map(([, c]) => c)
      .join('');
    out.push(`${dir === 'in' ? '<' : '>'}${name}${packet.l4.payload.len > 0 ? packet.l4.payload.len : ''}`);
  });
  return out;
}

describe('TCP life', () => {
  it('opens, talks and closes with the segments of a real connection', () => {
    const net = pair();
    const seen = wire(net);
    const { c, s } = connected(net);
    net.sockets.send(c, { len: 5, text: 'hello' });
    settle(net);
    expect(net.sockets.recv(s)).toEqual({ ok: true, value: { payload: { len: 5, text: 'hello' } } });
    net.sockets.send(s, { len: 2, text: 'ok' });
    settle(net);
    net.sockets.recv(c);
    net.sockets.close(c);
    settle(net);
    // The FIN's ACK waits for an answer to ride on, 40 ms at most.
    expect(seen.at(-1)).toBe('>F.');
    settle(net, 50_000);
    expect(state(net, s)).toBe('CLOSE_WAIT');
    expect(state(net, c)).toBe('FIN_WAIT2');
    net.sockets.close(s);
    settle(net);
    expect(seen).toEqual(['>S', '<S.', '>.', '>P.5', '<.', '<P.2', '>.', '>F.', '<.', '<F.', '>.']);
    expect(state(net, s)).toBe('gone');
    expect(state(net, c)).toBe('TIME_WAIT');
    settle(net, 60_000_000);
    expect(state(net, c)).toBe('gone');
  });

  it('offers the options of a Linux SYN', () => {
    const net = pair();
    const got: Packet[] = [];
    net.taps.add({ dev: 'a:eth0' }, (x) => got.push(x.packet));
    listener(net);
    client(net);
    settle(net);
    expect(got[0]?.l4).toMatchObject({ window: 64240, options: { mss: 1460, sackOk: true, tsEcr: 0, wscale: 7 } });
    expect(got[1]?.l4).toMatchObject({ window: 65160, options: { mss: 1460, sackOk: true, wscale: 7 } });
    expect(got[2]?.l4).toMatchObject({ window: 502 });
    const syn = got[0]?.l4;
    expect(syn?.kind === 'tcp' && syn.options?.tsVal === (got[1]?.l4.kind === 'tcp' && got[1].l4.options?.tsEcr)).toBe(
      true,
    );
  });

  it('a closed port refuses at once', () => {
    const net = pair();
    const c = client(net, 81);
    settle(net);
    expect(net.sockets.takeError(c)).toBe('ECONNREFUSED');
    expect(state(net, c)).toBe('CLOSE');
  });

  it('closing with unread data resets', () => {
    const net = pair();
    const { c, s } = connected(net);
    net.sockets.send(c, { len: 5, text: 'hello' });
    settle(net);
    net.sockets.close(s);
    settle(net);
    expect(state(net, s)).toBe('gone');
    expect(net.sockets.send(c, { len: 1, text: 'x' })).toEqual({ ok: false, error: 'ECONNRESET' });
  });

  it('a SYN in an established connection gets a challenge ACK', () => {
    const net = pair();
    const { c, s } = connected(net);
    const seen = wire(net);
    const { local, remote } = net.sockets.get(s) as { local: { port: number }; remote: { port: number } };
    net.sendRaw('a', {
      id: 0,
      ip: { family: 4, src: '10.0.0.1', dst: '10.0.0.2', proto: 6, ttl: 64, tos: 0, id: 1, df: true },
      l4: {
        kind: 'tcp',
        sport: remote.port,
        dport: local.port,
        seq: 7,
        ack: 0,
        flags: TCP.SYN,
        window: 1000,
        payload: { len: 0 },
      },
    });
    settle(net);
    expect(seen).toEqual(['>S', '<.']);
    expect([state(net, c), state(net, s)]).toEqual(['ESTABLISHED', 'ESTABLISHED']);
  });

  it('both ends closing at once meet in TIME_WAIT', () => {
    const net = pair();
    const { c, s } = connected(net);
    net.sockets.close(c);
    net.sockets.close(s);
    settle(net);
    expect([state(net, c), state(net, s)]).toEqual(['TIME_WAIT', 'TIME_WAIT']);
  });

  it('a full accept queue leaves later clients waiting', () => {
    const net = pair();
    listener(net, 80, 1);
    const all = [1, 2, 3].map(() => {
      const c = client(net);
      settle(net);
      return c;
    });
    expect(all.map((c) => state(net, c))).toEqual(['ESTABLISHED', 'ESTABLISHED', 'SYN_SENT']);
  });

  it('an unreachable host ends a connect after 3 s, a route without way at once', () => {
    const net = pair();
    const c = client(net, 80, '10.0.0.77');
    net.ctx.sim.run({ untilUs: 4_000_000 });
    expect(net.sockets.takeError(c)).toBe('EHOSTUNREACH');
    const d = net.sockets.socket('a', 'tcp', { uid: 0 });
    expect(net.sockets.connect(d, { ip: '192.0.2.1', port: 80 })).toEqual({ ok: false, error: 'ENETUNREACH' });
  });
});

describe('SYN retransmission', () => {
  const runs = Object.entries(schedule.by_tcp_syn_linear_timeouts);
  it.each(runs)('tcp_syn_linear_timeouts=%s', (key, record) => {
    const net = pair();
    net.setSysctl('a', 'net.ipv4.tcp_syn_linear_timeouts', String(Number.parseInt(key, 10)));
    dropping(net, 'b', () => true);
    const at: number[] = [];
    net.taps.add({ dev: 'a:eth0' }, (x) => x.dir === 'out' && at.push(net.ctx.sim.now / 1_000_000));
    const c = client(net);
    net.ctx.sim.run({ until: () => net.sockets.get(c)?.error !== undefined });
    expect(at).toHaveLength(record.syn_s.length);
    for (const [i, t] of record.syn_s.entries()) {
      expect(Math.abs((at[i] as number) - t)).toBeLessThanOrEqual(0.3 + 0.03 * t);
    }
    expect(net.sockets.takeError(c)).toBe('ETIMEDOUT');
    const end = Number(/after (\d+) s/.exec(record.result)?.[1]);
    expect(Math.abs(net.ctx.sim.now / 1_000_000 - end)).toBeLessThanOrEqual(2);
  });
});

describe('under loss', () => {
  it('every byte arrives once and in order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
        (seed, sizes, dice) => {
          const net = pair(seed);
          const { c, s } = connected(net);
          // A link that loses every retransmission ends a connection by its rights: five in a row is the worst here.
          const lossy = (): (() => boolean) => {
            let inARow = 0;
            return () => {
              inARow = (dice.next().value as number) < 3 && inARow < 5 ? inARow + 1 : 0;
              return inARow > 0;
            };
          };
          dropping(net, 'b', lossy());
          dropping(net, 'a', lossy());
          let sent = '';
          for (const [i, n] of sizes.entries()) {
            const text = String.fromCharCode(97 + (i % 26)).repeat(n);
            sent += text;
            net.sockets.send(c, { len: n, text });
            settle(net, 300_000);
          }
          net.sockets.shutdown(c);
          let got = '';
          net.ctx.sim.run({
            untilUs: net.ctx.sim.now + 600_000_000,
            until: () => {
              const r = net.sockets.recv(s);
              if (r.ok && r.value.payload.len > 0) got += r.value.payload.text;
              return net.sockets.get(s)?.rxEof === true && got.length >= sent.length;
            },
          });
          expect(got).toBe(sent);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('path MTU', () => {
  it('a router that cannot pass a segment on makes the sender cut smaller ones', () => {
    const net = createNet(createCtx(1));
    for (const id of ['a', 'r', 'b']) net.addNamespace({ id, node: id, kind: 'machine', init: true });
    net.links.addVeth(
      { netns: 'a', name: 'eth0', addrs: ['10.0.0.1/24'] },
      { netns: 'r', name: 'left', addrs: ['10.0.0.254/24'] },
    );
    net.links.addVeth(
      { netns: 'r', name: 'right', mtu: 1400, addrs: ['10.0.1.254/24'] },
      { netns: 'b', name: 'eth0', mtu: 1500, addrs: ['10.0.1.2/24'] },
    );
    net.links.addRoute('a', { dst: 'default', via: '10.0.0.254' });
    net.links.addRoute('b', { dst: 'default', via: '10.0.1.254' });
    net.setSysctl('r', 'net.ipv4.ip_forward', '1');
    const l = listener(net);
    const c = client(net, 80, '10.0.1.2');
    settle(net);
    const s = net.sockets.accept(l);
    const text = 'x'.repeat(4000);
    net.sockets.send(c, { len: text.length, text });
    settle(net, 1_000_000);
    expect(s.ok && net.sockets.recv(s.value.id)).toMatchObject({ value: { payload: { text } } });
  });
});
