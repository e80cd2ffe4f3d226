import { type Blocking, connect, poll } from '../blocking';
import { strerror } from '../errno';
import type { Program, Sys } from '../process';
import { gaiStrerror, resolve } from '../resolve';
import { servicePort } from './services';

const CLOSED = 'Connection closed by foreign host.\n';
/**
 * How long the answer to piped input is waited for, us: standard input comes whole, without the pauses that its writer
 * made, so the end of it says nothing about when the user would have left.
 */
const PIPE_PATIENCE_US = 1_000_000;

/** `telnet --help`, the part about what it takes. */
const HELP = [
  'Usage: telnet [OPTION...] [HOST [PORT]]',
  'Login to remote system HOST (optionally, on service port PORT)',
  '',
  ' General options:',
  '',
  '  -4, --ipv4                 use only IPv4',
  '  -6, --ipv6                 use only IPv6',
  '  -8, --binary               use an 8-bit data transmission',
  '  -a, --login                attempt automatic login',
  '',
].join('\n');

/** telnet(1) of inetutils 2.4. */
export const telnet: Program = function* (sys) {
  const args = sys.argv.slice(1);
  if (args.includes('--help')) {
    sys.write(1, HELP);
    return 0;
  }
  if (args.includes('--version') || args.includes('-V')) {
    sys.write(1, 'telnet (GNU inetutils) 2.4\n');
    return 0;
  }
  const [host, portText = '23'] = args.filter((a) => !a.startsWith('-'));
  if (host === undefined) return 0;
  const port = servicePort(portText, 'tcp') ?? (/^\d+$/.test(portText) ? Number(portText) : undefined);
  if (port === undefined) {
    sys.write(1, `Server lookup failure:  ${host}:${portText}, Servname not supported for ai_socktype\n`);
    return 1;
  }
  const found = yield* resolve(sys, host);
  if (!found.ok) {
    const why = found.error === 'deadline' ? '' : gaiStrerror[found.error];
    sys.write(1, `Server lookup failure:  ${host}:${portText}, ${why}\n`);
    return 1;
  }
  for (const [i, ip] of found.addrs.entries()) {
    sys.write(1, `Trying ${ip}...\n`);
    const fd = sys.socket('tcp');
    const c = yield* connect(sys, fd, { ip, port });
    if (c.ok) {
      sys.write(1, `Connected to ${found.canonical}.\nEscape character is '^]'.\n`);
      yield* session(sys, fd);
      sys.close(fd);
      sys.write(2, CLOSED);
      return 0;
    }
    sys.close(fd);
    if (i < found.addrs.length - 1) sys.write(2, `telnet: connect to address ${ip}: ${strerror(c.errno)}\n`);
    else sys.write(2, `telnet: Unable to connect to remote host: ${strerror(c.errno)}\n`);
  }
  return 1;
};

function* session(sys: Sys, fd: number): Blocking<void> {
  const input = sys.stdin;
  // NVT (RFC 854): a lone CR travels as CR NUL, the end of a line as CR LF.
  if (input !== undefined && input !== '') sys.send(fd, input.replace(/\r/g, '\r\0').replace(/\n/g, '\r\n'));
  const patience = input === undefined ? undefined : input === '' ? 0 : PIPE_PATIENCE_US;
  for (;;) {
    if (!(yield* poll(fd, 'in', patience))) return;
    const r = sys.recv(fd);
    if (!r.ok && r.errno === 'EAGAIN') continue;
    if (!r.ok || r.value.len === 0) return;
    sys.write(1, r.value.data.replace(/\r\n/g, '\n').replace(/\r\0/g, '\r'));
  }
}
