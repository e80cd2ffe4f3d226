import { describe, expect, it } from 'vitest';
import { createNet } from '../../net';
import { createCtx } from '../../trace';
import { Processes } from '../processes';
import { programs } from '.';

/** A client at 10.0.0.1 and a server at 10.0.0.2 on one veth. */
function world(seed = 5) {
  const ctx = createCtx(seed);
  const net = createNet(ctx);
  for (const id of ['cli', 'srv']) net.addNamespace({ id, node: id, kind: 'machine', init: true });
  net.links.addVeth(
    { netns: 'cli', name: 'eth0', addrs: ['10.0.0.1/24'] },
    { netns: 'srv', name: 'eth0', addrs: ['10.0.0.2/24'] },
  );
  const procs = new Processes(net);
  procs.spawn('srv', programs.http!, ['http', '-name', 'web-1', '-port', '80,8080']);
  procs.spawn('srv', programs.echo!, ['echo', '-name', 'pod-b', '-tcp', '9000', '-udp', '53']);
  ctx.sim.run({ untilUs: 1 });
  const run = (
    line: string,
    opts: { stdin?: string; tty?: boolean; files?: Record<string, string>; intAfterS?: number } = {},
  ) => {
    const argv = line.split(' ');
    const pid = procs.spawn('cli', programs[argv[0]!]!, argv, { tty: true, ...opts });
    const ended = () => !procs.running(pid);
    if (opts.intAfterS !== undefined) {
      ctx.sim.run({ untilUs: ctx.sim.now + opts.intAfterS * 1_000_000, until: ended });
      procs.kill(pid, 'INT');
    }
    ctx.sim.run({ untilUs: ctx.sim.now + 400_000_000, until: ended });
    return procs.result(pid);
  };
  return { ctx, net, procs, run };
}

describe('curl', () => {
  it('fetches a page and is silent about it', () => {
    expect(world().run('curl http://10.0.0.2/')).toMatchObject({ stdout: 'hello from web-1\n', stderr: '', exit: 0 });
  });
  it('tells the way with -v', () => {
    const r = world().run('curl -v http://10.0.0.2:8080/');
    expect(r.stderr.split('\n').slice(0, 3)).toEqual([
      '*   Trying 10.0.0.2:8080...',
      '* Connected to 10.0.0.2 (10.0.0.2) port 8080 (#0)',
      '> GET / HTTP/1.1\r',
    ]);
    expect(r.stderr).toContain('< Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n');
    expect(r.stderr).toMatch(/\* Connection #0 to host 10\.0\.0\.2 left intact\n$/);
  });
  it.each([
    [
      'curl http://10.0.0.2:81/',
      7,
      "curl: (7) Failed to connect to 10.0.0.2 port 81 after 0 ms: Couldn't connect to server\n",
    ],
    [
      'curl -m 8 http://10.0.0.9/',
      7,
      "curl: (7) Failed to connect to 10.0.0.9 port 80 after 3000 ms: Couldn't connect to server\n",
    ],
    ['curl http://no-such-svc/', 6, 'curl: (6) Could not resolve host: no-such-svc\n'],
    ['curl http://', 3, 'curl: (3) URL using bad/illegal format or missing URL\n'],
    ['curl -f http://10.0.0.2/nope', 22, 'curl: (22) The requested URL returned error: 404\n'],
    ['curl -m 2 http://10.0.0.2:9000/', 0, ''],
  ])('%s', (line, exit, stderr) => {
    const r = world().run(line, { files: { '/etc/resolv.conf': 'nameserver 10.0.0.2\n' } });
    // Nothing answers DNS at 10.0.0.2:53 but the echo server, which speaks no DNS.
    if (line.includes('no-such')) expect(r.exit).toBe(exit);
    else expect(r).toMatchObject({ exit, stderr });
  });
  it('writes out what was asked for', () => {
    const r = world().run('curl -s -o /dev/null -w %{http_code}:%{exitcode}:%{remote_ip}\\n http://10.0.0.2/');
    expect(r.stdout).toBe('200:0:10.0.0.2\n');
  });
});

describe('ping', () => {
  it('counts and measures', () => {
    const r = world().run('ping -c 2 10.0.0.2');
    expect(r.exit).toBe(0);
    expect(r.stdout.replace(/time=[\d.]+/g, 'time=T').replace(/= [\d./]+/, '= R')).toBe(
      [
        'PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.',
        '64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=T ms',
        '64 bytes from 10.0.0.2: icmp_seq=2 ttl=64 time=T ms',
        '',
        '--- 10.0.0.2 ping statistics ---',
        '2 packets transmitted, 2 received, 0% packet loss, time 1000ms',
        'rtt min/avg/max/mdev = R ms',
        '',
      ].join('\n'),
    );
  });
  it('hears of unreachable hosts from its own address', () => {
    const r = world().run('ping -c 2 -W 4 10.0.0.9');
    expect(r).toMatchObject({
      exit: 1,
      stdout: [
        'PING 10.0.0.9 (10.0.0.9) 56(84) bytes of data.',
        'From 10.0.0.1 icmp_seq=1 Destination Host Unreachable',
        'From 10.0.0.1 icmp_seq=2 Destination Host Unreachable',
        '',
        '--- 10.0.0.9 ping statistics ---',
        '2 packets transmitted, 0 received, +2 errors, 100% packet loss, time 1000ms',
        'pipe 2',
        '',
      ].join('\n'),
    });
  });
  it('ends at ^C with its statistics', () => {
    const r = world().run('ping 10.0.0.2', { intAfterS: 2.5 });
    expect(r.exit).toBe(0);
    expect(r.stdout).toContain('3 packets transmitted, 3 received, 0% packet loss');
  });
  it('needs a route', () => {
    expect(world().run('ping -c 1 192.0.2.1')).toMatchObject({
      exit: 2,
      stderr: 'ping: connect: Network is unreachable\n',
    });
  });
});

describe('nc', () => {
  it.each([
    ['nc -zv 10.0.0.2 8080', 0, 'Connection to 10.0.0.2 8080 port [tcp/http-alt] succeeded!\n'],
    ['nc -zv 10.0.0.2 81', 1, 'nc: connect to 10.0.0.2 port 81 (tcp) failed: Connection refused\n'],
    ['nc -zuv 10.0.0.2 53', 0, 'Connection to 10.0.0.2 53 port [udp/domain] succeeded!\n'],
    ['nc -zuv 10.0.0.2 54', 1, ''],
    ['nc -zv 10.0.0.2 99999', 1, 'nc: port number too large: 99999\n'],
    ['nc 10.0.0.2', 1, 'nc: missing port number\n'],
  ])('%s', (line, exit, stderr) => {
    expect(world().run(line)).toMatchObject({ exit, stderr });
  });
  it('carries lines both ways', () => {
    const r = world().run('nc -N 10.0.0.2 9000', { stdin: 'hello\n' });
    expect(r.stdout).toMatch(/^server=pod-b local=10\.0\.0\.2:9000 peer=10\.0\.0\.1:\d+\n$/);
    expect(r.exit).toBe(0);
  });
});

it('the same seed gives the same trace', () => {
  const hash = (seed: number): string => {
    const w = world(seed);
    w.run('curl http://10.0.0.2/');
    w.run('nc -zv 10.0.0.2 81');
    return w.ctx.trace.hash();
  };
  expect(hash(7)).toBe(hash(7));
  expect(hash(7)).not.toBe(hash(8));
});
