import { describe, expect, it } from 'vitest';
import { createNet } from '../net';
import { createCtx } from '../trace';
import { accept, connect, listenTcp, recv, sleep } from './blocking';
import type { Program } from './process';
import { Processes } from './processes';

function world(seed = 3) {
  const ctx = createCtx(seed);
  const net = createNet(ctx);
  for (const id of ['a', 'b']) net.addNamespace({ id, node: id, kind: 'machine', init: true });
  net.links.addVeth(
    { netns: 'a', name: 'eth0', addrs: ['10.0.0.1/24'] },
    { netns: 'b', name: 'eth0', addrs: ['10.0.0.2/24'] },
  );
  return { ctx, net, procs: new Processes(net) };
}

const server: Program = function* (sys) {
  const l = listenTcp(sys, 80);
  if (!l.ok) return 1;
  const c = yield* accept(sys, l.value);
  if (!c.ok) return 1;
  const r = yield* recv(sys, c.value.fd);
  sys.send(c.value.fd, `you said ${r.ok ? r.value.data : r.errno}`);
  sys.close(c.value.fd);
  return 0;
};

const client: Program = function* (sys) {
  const fd = sys.socket('tcp');
  const c = yield* connect(sys, fd, { ip: '10.0.0.2', port: Number(sys.argv[1]) });
  if (!c.ok) {
    sys.write(2, `${c.errno}\n`);
    return 7;
  }
  sys.send(fd, 'hello');
  const r = yield* recv(sys, fd);
  sys.write(1, r.ok ? r.value.data : r.errno);
  return 0;
};

describe('processes', () => {
  it('talk over simulated TCP and end with their exit codes', () => {
    const { ctx, procs } = world();
    const s = procs.spawn('b', server, ['server']);
    const c = procs.spawn('a', client, ['client', '80']);
    ctx.sim.run({ until: () => !procs.running(c) && !procs.running(s) });
    expect(procs.result(c)).toMatchObject({ stdout: 'you said hello', exit: 0 });
    expect(procs.result(s).exit).toBe(0);
  });
  it('see a closed port as ECONNREFUSED', () => {
    const { ctx, procs } = world();
    const c = procs.spawn('a', client, ['client', '81']);
    ctx.sim.run({ until: () => !procs.running(c) });
    expect(procs.result(c)).toMatchObject({ stderr: 'ECONNREFUSED\n', exit: 7 });
  });
  it('end by the signals that they do not handle, and always by KILL', () => {
    const { ctx, procs } = world();
    const handles: Program = function* (sys) {
      const wake = yield { kind: 'sleep', us: 60_000_000 };
      sys.write(1, wake.kind);
      yield* sleep(60_000_000);
      return 0;
    };
    const p = procs.spawn('a', handles, ['nap']);
    const naps: Program = function* () {
      yield* sleep(60_000_000);
      return 0;
    };
    const q = procs.spawn('a', naps, ['nap']);
    ctx.sim.run({ untilUs: 1_000_000 });
    procs.kill(p, 'INT');
    procs.kill(q, 'TERM');
    ctx.sim.run({ untilUs: 2_000_000 });
    expect(procs.result(p)).toMatchObject({ stdout: 'signal', exit: undefined });
    expect(procs.result(q).exit).toBe(143);
    procs.kill(p, 'KILL');
    ctx.sim.run({ untilUs: 2_000_001 });
    expect(procs.result(p).exit).toBe(137);
    expect(ctx.sim.queued).toBe(0);
  });
  it('leave nothing but TIME_WAIT behind, for 60 s', () => {
    const { ctx, net, procs } = world();
    procs.spawn('b', server, ['server']);
    procs.spawn('a', client, ['client', '80']);
    ctx.sim.run({ untilUs: 1_000_000 });
    expect(net.sockets.map.values().map((s) => [s.netns, s.state])).toEqual([['b', 'TIME_WAIT']]);
    ctx.sim.run({});
    expect(net.sockets.map.size).toBe(0);
  });
});
