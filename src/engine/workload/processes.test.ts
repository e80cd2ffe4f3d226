import { describe, expect, it } from 'vitest';
import { createNet } from '../net';
import { createCtx } from '../trace';
import { accept, connect, recv, sleep } from './blocking';
import type { Program } from './process';
import { Processes } from './processes';

function world() {
  const ctx = createCtx(3);
  const net = createNet(ctx);
  for (const id of ['a', 'b']) net.addNamespace({ id, node: id, kind: 'machine', init: true });
  net.links.addVeth(
    { netns: 'a', name: 'eth0', addrs: ['10.0.0.1/24'] },
    { netns: 'b', name: 'eth0', addrs: ['10.0.0.2/24'] },
  );
  return { ctx, net, procs: new Processes(ctx, net) };
}

const server: Program = function* (sys) {
  const fd = sys.socket('tcp');
  sys.bind(fd, { ip: '0.0.0.0', port: 80 });
  sys.listen(fd);
  const c = yield* accept(sys, fd);
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
    const s = procs.spawn('b', server, { argv: ['server'] });
    const c = procs.spawn('a', client, { argv: ['client', '80'] });
    ctx.sim.run({ until: () => procs.ended(c) && procs.ended(s) });
    expect(procs.output(c)).toMatchObject({ stdout: 'you said hello', exit: 0 });
    expect(procs.output(s).exit).toBe(0);
  });
  it('see a closed port as ECONNREFUSED', () => {
    const { ctx, procs } = world();
    const c = procs.spawn('a', client, { argv: ['client', '81'] });
    ctx.sim.run({ until: () => procs.ended(c) });
    expect(procs.output(c)).toMatchObject({ stderr: 'ECONNREFUSED\n', exit: 7 });
  });
  it('hear signals while they sleep, and are gone after KILL', () => {
    const { ctx, procs } = world();
    const napper: Program = function* (sys) {
      const whole = yield* sleep(5_000_000);
      sys.write(1, whole ? 'slept' : 'woken');
      yield* sleep(60_000_000);
      return 0;
    };
    const p = procs.spawn('a', napper, { argv: ['nap'] });
    ctx.sim.run({ untilUs: 1_000_000 });
    procs.kill(p, 'INT');
    ctx.sim.run({ untilUs: 2_000_000 });
    expect(procs.output(p).stdout).toBe('woken');
    procs.kill(p, 'KILL');
    expect(procs.output(p).exit).toBe(137);
    expect(procs.running('a')).toEqual([]);
  });
});
