import { bbNslookup } from '../../../dns/programs/bbnslookup';
import { accept, type Blocking, connect, listenTcp, poll } from '../../blocking';
import { strerror } from '../../errno';
import type { Program, Sys } from '../../process';
import { resolve } from '../../resolve';
import { BUSYBOX_135, BUSYBOX_137, type BusyboxRelease, usage } from './text';
import { bbTraceroute } from './traceroute';
import { bbWget } from './wget';

/** busybox by the name it is called: wget, nc, telnet, ping, traceroute. */
function busyboxProgram(release: BusyboxRelease): Program {
  return function* (sys) {
    switch ((sys.argv[0] ?? '').replace(/^.*\//, '')) {
      case 'wget':
        return yield* bbWget(sys, release);
      case 'nc':
        return yield* bbNc(sys, release);
      case 'telnet':
        return yield* bbTelnet(sys);
      case 'ping':
        return yield* bbPing(sys);
      case 'traceroute':
        return yield* bbTraceroute(sys);
      case 'nslookup':
        return yield* bbNslookup(sys);
      default:
        sys.write(2, `${(sys.argv[0] ?? '').replace(/^.*\//, '')}: applet not found\n`);
        return 127;
    }
  };
}

export const busybox: Program = busyboxProgram(BUSYBOX_135);
export const busybox137: Program = busyboxProgram(BUSYBOX_137);

/** Copies between standard input and a connection until the peer closes. `quit`: leave when input ends. */
function* pump(sys: Sys, fd: number, quit: boolean): Blocking<void> {
  if (sys.stdin !== undefined && sys.stdin !== '') sys.send(fd, sys.stdin);
  if (sys.stdin === '' && quit) return;
  if (sys.stdin !== undefined && !quit) sys.shutdown(fd);
  for (;;) {
    if (!(yield* poll(fd, 'in'))) return;
    const r = sys.recv(fd);
    if (!r.ok && r.errno === 'EAGAIN') continue;
    if (!r.ok || r.value.len === 0) return;
    sys.write(1, r.value.data);
  }
}

function* bbNc(sys: Sys, release: BusyboxRelease): Blocking<number> {
  let limitUs: number | undefined;
  let local = 0;
  let listening = false;
  const rest: string[] = [];
  const args = sys.argv.slice(1);
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as string;
    if (a === '--help') {
      sys.write(2, usage(release, 'nc'));
      return 0;
    }
    if (!a.startsWith('-') || a === '-') {
      rest.push(a);
      continue;
    }
    for (let k = 1; k < a.length; k++) {
      const letter = a[k] as string;
      if ('pwife'.includes(letter)) {
        const value = k + 1 < a.length ? a.slice(k + 1) : (args[++i] ?? '');
        if (letter === 'w') limitUs = Number(value) * 1_000_000;
        else if (letter === 'p') local = Number(value);
        break;
      }
      if (letter === 'l') listening = true;
      else if (letter !== 'N') {
        sys.write(2, `nc: invalid option -- '${letter}'\n${usage(release, 'nc')}`);
        return 1;
      }
    }
  }
  if (listening) {
    const l = listenTcp(sys, local || Number(rest[0] ?? 0));
    if (!l.ok) {
      sys.write(2, `nc: bind: ${strerror(l.errno)}\n`);
      return 1;
    }
    const c = yield* accept(sys, l.value);
    if (c.ok) yield* pump(sys, c.value.fd, false);
    return 0;
  }
  const [host, port] = rest;
  if (host === undefined || port === undefined) {
    sys.write(2, usage(release, 'nc'));
    return 1;
  }
  const found = yield* resolve(sys, host);
  if (!found.ok) {
    sys.write(2, `nc: bad address '${host}'\n`);
    return 1;
  }
  const ip = found.addrs[0] as string;
  const fd = sys.socket('tcp');
  if (local > 0) sys.bind(fd, { ip: '0.0.0.0', port: local });
  const c = yield* connect(sys, fd, { ip, port: Number(port) }, limitUs);
  if (!c.ok) {
    const timedOut = c.errno === 'ETIMEDOUT' && limitUs !== undefined;
    sys.write(2, timedOut ? 'nc: timed out\n' : `nc: can't connect to remote host (${ip}): ${strerror(c.errno)}\n`);
    return 1;
  }
  yield* pump(sys, fd, false);
  return 0;
}

function* bbTelnet(sys: Sys): Blocking<number> {
  const [host, port = '23'] = sys.argv.slice(1).filter((a) => !a.startsWith('-'));
  if (host === undefined) return 1;
  const found = yield* resolve(sys, host);
  if (!found.ok) {
    sys.write(2, `telnet: bad address '${host}'\n`);
    return 1;
  }
  const ip = found.addrs[0] as string;
  const fd = sys.socket('tcp');
  const c = yield* connect(sys, fd, { ip, port: Number(port) });
  if (!c.ok) {
    sys.write(2, `telnet: can't connect to remote host (${ip}): ${strerror(c.errno)}\n`);
    return 1;
  }
  sys.write(1, `Connected to ${host}\n`);
  if (sys.stdin === '') return 0;
  yield* pump(sys, fd, true);
  sys.write(2, 'Connection closed by foreign host\n');
  return 1;
}

/** ping of busybox: sequence numbers from 0, no list of errors. */
function* bbPing(sys: Sys): Blocking<number> {
  let count: number | undefined;
  let waitUs = 10_000_000;
  let size = 56;
  let quiet = false;
  const rest: string[] = [];
  const args = sys.argv.slice(1);
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as string;
    if (!a.startsWith('-')) {
      rest.push(a);
      continue;
    }
    const letter = a[1] ?? '';
    if (letter === 'q') quiet = true;
    if (!'cWswtiIp'.includes(letter)) continue;
    const value = Number(a.length > 2 ? a.slice(2) : (args[++i] ?? ''));
    if (letter === 'c') count = value;
    else if (letter === 'W') waitUs = value * 1_000_000;
    else if (letter === 's') size = value;
  }
  const host = rest[0] ?? '';
  const found = yield* resolve(sys, host);
  if (!found.ok) {
    sys.write(2, `ping: bad address '${host}'\n`);
    return 1;
  }
  const ip = found.addrs[0] as string;
  const fd = sys.socket('raw');
  const id = Number(sys.pid) & 0xffff;
  sys.write(1, `PING ${host} (${ip}): ${size} data bytes\n`);
  const sentAt = new Map<number, number>();
  const rtts: number[] = [];
  let sent = 0;
  let next = sys.nowUs;
  let end: number | undefined;
  while (count === undefined || rtts.length < count) {
    if ((count === undefined || sent < count) && sys.nowUs >= next) {
      const r = sys.sendIcmp(fd, ip, { type: 8, code: 0, id, seq: sent, len: size });
      if (!r.ok) {
        sys.write(2, `ping: sendto: ${strerror(r.errno)}\n`);
        return 1;
      }
      sentAt.set(sent, sys.nowUs);
      sent++;
      next += 1_000_000;
      if (count !== undefined && sent >= count) end = sys.nowUs + waitUs;
    }
    const until = end ?? next;
    if (sys.nowUs >= until && end !== undefined) break;
    const wake = yield { kind: 'poll', fds: [{ fd, events: 'in' }], timeoutUs: Math.max(0, until - sys.nowUs) };
    if (wake.kind === 'signal') break;
    for (let r = sys.recv(fd); r.ok; r = sys.recv(fd)) {
      const p = r.value.packet;
      if (p?.l4.kind !== 'icmp' || p.l4.type !== 0 || p.l4.id !== id || p.l4.seq === undefined) continue;
      const trip = sys.nowUs - (sentAt.get(p.l4.seq) ?? sys.nowUs);
      rtts.push(trip);
      const head = `${p.l4.payload.len + 8} bytes from ${p.ip.src}: seq=${p.l4.seq} ttl=${p.ip.ttl}`;
      if (!quiet) sys.write(1, `${head} time=${millis(trip)} ms\n`);
    }
  }
  const lost = sent === 0 ? 0 : Math.floor(((sent - rtts.length) * 100) / sent);
  sys.write(
    1,
    `\n--- ${host} ping statistics ---\n${sent} packets transmitted, ${rtts.length} packets received, ${lost}% packet loss\n`,
  );
  if (rtts.length > 0) {
    const avg = Math.floor(rtts.reduce((a, b) => a + b, 0) / rtts.length);
    const line = [Math.min(...rtts), avg, Math.max(...rtts)].map(millis).join('/');
    sys.write(1, `round-trip min/avg/max = ${line} ms\n`);
  }
  return rtts.length === 0 ? 1 : 0;
}

const millis = (us: number): string => `${Math.floor(us / 1000)}.${String(us % 1000).padStart(3, '0')}`;
