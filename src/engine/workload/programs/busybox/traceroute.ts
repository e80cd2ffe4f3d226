import { type Blocking, poll } from '../../blocking';
import { strerror } from '../../errno';
import type { Sys } from '../../process';
import { resolve, reverse } from '../../resolve';

const MARKS: Readonly<Record<number, string>> = {
  0: '!N',
  1: '!H',
  2: '!P',
  4: '!F',
  5: '!S',
  9: '!A',
  10: '!C',
  13: '!A',
};
const FIRST_PORT = 33434;

/** traceroute of busybox: one UDP probe after the other. */
export function* bbTraceroute(sys: Sys): Blocking<number> {
  let numeric = false;
  let queries = 3;
  let maxTtl = 30;
  let waitUs = 3_000_000;
  const rest: string[] = [];
  const args = sys.argv.slice(1);
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as string;
    if (!a.startsWith('-')) {
      rest.push(a);
      continue;
    }
    const letter = a[1] ?? '';
    if (letter === 'n') numeric = true;
    if (!'qmwpsfitg'.includes(letter)) continue;
    const value = Number(a.length > 2 ? a.slice(2) : (args[++i] ?? ''));
    if (letter === 'q') queries = value;
    else if (letter === 'm') maxTtl = value;
    else if (letter === 'w') waitUs = value * 1_000_000;
  }
  const host = rest[0] ?? '';
  const found = yield* resolve(sys, host);
  if (!found.ok) {
    sys.write(2, `traceroute: bad address '${host}'\n`);
    return 1;
  }
  const ip = found.addrs[0] as string;
  sys.write(1, `traceroute to ${host} (${ip}), ${maxTtl} hops max, 46 byte packets\n`);
  let port = FIRST_PORT;
  for (let ttl = 1; ttl <= maxTtl; ttl++) {
    sys.write(1, `${String(ttl).padStart(2)}`);
    let last: string | undefined;
    let reached = false;
    for (let q = 0; q < queries; q++) {
      const fd = sys.socket('udp');
      sys.setsockopt(fd, 'IP_TTL', ttl);
      sys.setsockopt(fd, 'IP_RECVERR', 1);
      const c = sys.connect(fd, { ip, port: ++port });
      const at = sys.nowUs;
      const s = c.ok ? sys.send(fd, '\0'.repeat(18)) : c;
      if (!s.ok) {
        sys.write(2, `traceroute: sendto: ${strerror(s.errno)}\n`);
        return 1;
      }
      const e = (yield* poll(fd, 'in', waitUs)) ? sys.recvError(fd) : undefined;
      sys.close(fd);
      if (!e) {
        sys.write(1, '  *');
        continue;
      }
      if (e.offender !== last) {
        const name = numeric ? e.offender : `${(yield* reverse(sys, e.offender)) ?? e.offender} (${e.offender})`;
        sys.write(1, `  ${name}`);
        last = e.offender;
      }
      const us = sys.nowUs - at;
      sys.write(1, `  ${Math.floor(us / 1000)}.${String(us % 1000).padStart(3, '0')} ms`);
      if (e.type !== 3) continue;
      reached = true;
      if (e.code !== 3) sys.write(1, ` ${MARKS[e.code] ?? `!<${e.code}>`}`);
    }
    sys.write(1, '\n');
    if (reached) return 0;
  }
  return 0;
}
