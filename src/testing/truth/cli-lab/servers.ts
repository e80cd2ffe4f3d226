import type { Cluster } from '../../../engine/cluster';
import { recvMsg, sendMsg } from '../../../engine/dns/io';
import { type RR, replyTo } from '../../../engine/dns/message';
import { type Program, programs, type SpawnOptions } from '../../../engine/workload';

/** Names that the lab's responder knows (setup/servers.json). */
const NAMES: Readonly<Record<string, string>> = {
  'web.default.svc.cluster.local.': '10.96.32.15',
  'kubernetes.default.svc.cluster.local.': '10.96.0.1',
  'kube-dns.kube-system.svc.cluster.local.': '10.96.0.10',
  'web-np.default.svc.cluster.local.': '10.96.44.7',
  'empty.default.svc.cluster.local.': '10.96.77.77',
};

const soa = (zone: string): RR => ({
  name: zone,
  ttl: 5,
  class: 'IN',
  type: 'SOA',
  rdata: `ns.dns.${zone} hostmaster.${zone} 1700000000 7200 1800 86400 5`,
});

/** The small authoritative UDP responder of the DNS pod. */
const responder: Program = function* (sys) {
  const fd = sys.socket('udp');
  sys.bind(fd, { ip: '0.0.0.0', port: 53 });
  for (;;) {
    const got = recvMsg(sys, fd);
    if (got.kind === 'none') {
      const wake = yield { kind: 'poll', fds: [{ fd, events: 'in' }] };
      if (wake.kind === 'signal') return 0;
      continue;
    }
    if (got.kind !== 'msg' || !got.from) continue;
    const q = got.msg.question[0];
    const name = (q?.name ?? '.').toLowerCase();
    // It writes names in full, but for the one of an answer.
    const reply = { ...replyTo(got.msg), ra: true, compress: false };
    const ip = NAMES[name];
    const inside = name.endsWith('.cluster.local.');
    if (name.endsWith('.servfail.test.')) sendMsg(sys, fd, { ...reply, rcode: 'SERVFAIL' }, 'udp', got.from);
    else if (ip !== undefined && q?.type === 'A') {
      const answer: RR = { name: q.name, ttl: 30, class: 'IN', type: 'A', rdata: ip };
      sendMsg(sys, fd, { ...reply, compress: true, aa: true, answer: [answer] }, 'udp', got.from);
    } else if (ip !== undefined)
      sendMsg(sys, fd, { ...reply, aa: true, authority: [soa('cluster.local.')] }, 'udp', got.from);
    else
      sendMsg(
        sys,
        fd,
        { ...reply, rcode: 'NXDOMAIN', aa: inside, authority: [soa(inside ? 'cluster.local.' : 'test.')] },
        'udp',
        got.from,
      );
  }
};

/** A worker of nginx: what the model's one process does, seen from outside. */
const idle: Program = function* () {
  for (;;) {
    const wake = yield { kind: 'sleep', us: 3_600_000_000 };
    if (wake.kind === 'signal') return 0;
  }
};

/** Starts the servers of setup/servers.json: nginx on the web pods, the misbehaving ones on web-1, the responder. */
export function startServers(cluster: Cluster): void {
  const spawn = (netns: string, program: Program | undefined, argv: readonly string[], opts: SpawnOptions = {}) =>
    program && cluster.procs.spawn(netns, program, argv, opts);
  for (const n of [1, 2, 3]) {
    // Last-Modified of the recorded pages: 2026-01-05 08:00:00 UTC.
    const argv = ['nginx', '-name', `web-${n}`, '-port', '80,8080', '-modified', '1767600000'];
    const master = spawn(`c-web${n}`, programs.http, argv, { title: 'nginx: master process nginx' });
    if (master !== undefined) {
      const worker = { title: 'nginx: worker process', shares: master, uid: 65_534 };
      spawn(`c-web${n}`, idle, ['nginx'], worker);
    }
  }
  spawn('c-web1', programs.faulty, ['python3']);
  spawn('c-dns', responder, ['python3']);
}
