import { TCP_STATES } from '../../netfilter';
import { type Fault, num, text } from './fault';

/** `conntrack -F` on every node. */
export const conntrackFlush: Fault = {
  name: 'conntrack-flush',
  run(cluster) {
    for (const m of cluster.spec.machines) if (m.kind === 'node') cluster.netfilter.conntrack(m.id, ['-F']);
    return undefined;
  },
};

/** enum ip_conntrack_status bits that the recorder set. */
const SEEN_REPLY = 2;
const ASSURED = 4;
const PROTO: Readonly<Record<string, number>> = { tcp: 6, udp: 17 };

/**
 * Entries offered through ctnetlink, as the recorder did it: entry i has source 172.(16 + i div 65000).((i div 250) mod
 * 250).(i mod 250 + 1) and source port 1024 + i mod 60000; the kernel refuses those beyond `max`.
 */
export const fillConntrack: Fault = {
  name: 'fill-conntrack',
  run(cluster, args) {
    const node = text(args, 'node');
    const { ct } = cluster.netfilter;
    if (Number.isInteger(num(args, 'max'))) ct.setMax(node, num(args, 'max'));
    const assured = args.assured === true;
    const proto = PROTO[text(args, 'proto') || (assured ? 'tcp' : 'udp')];
    if (proto === undefined) return `fill-conntrack knows tcp and udp, not ${text(args, 'proto')}`;
    const state = TCP_STATES.indexOf((text(args, 'state') || 'ESTABLISHED') as (typeof TCP_STATES)[number]);
    const dst = text(args, 'dst') || '10.96.10.10';
    const dport = num(args, 'dport') || 80;
    const timeoutUs = (num(args, 'timeoutS') || 600) * 1_000_000;
    const side = () => ({ end: 0, maxend: 0, maxwin: 0, maxack: 0, scale: 0, flags: 0 });
    for (let i = 0; i < num(args, 'entries'); i++) {
      const src = `172.${16 + Math.floor(i / 65000)}.${Math.floor(i / 250) % 250}.${(i % 250) + 1}`;
      const sport = 1024 + (i % 60000);
      ct.insertFromUser(node, {
        family: 4,
        zone: 0,
        proto,
        orig: { src, dst, sport, dport },
        reply: { src: dst, dst: src, sport: dport, dport: sport },
        status: assured ? SEEN_REPLY | ASSURED : 0,
        mark: 0,
        timeoutUs,
        ...(proto === 6 ? { tcp: { seen: [side(), side()], state, ...FRESH } } : {}),
      });
    }
    return undefined;
  },
};

const FRESH = {
  lastDir: 0,
  retrans: 0,
  lastIndex: 0,
  lastSeq: 0,
  lastAck: 0,
  lastEnd: 0,
  lastWin: 0,
  lastWscale: 0,
  lastFlags: 0,
} as const;
