import { ipow } from '../../base/int';
import type { IcmpMessage } from '../../net';

const UNREACH = [
  'Destination Net Unreachable',
  'Destination Host Unreachable',
  'Destination Protocol Unreachable',
  'Destination Port Unreachable',
  'Frag needed and DF set',
  'Source Route Failed',
  'Destination Net Unknown',
  'Destination Host Unknown',
  'Source Host Isolated',
  'Destination Net Prohibited',
  'Destination Host Prohibited',
  'Destination Net Unreachable for Type of Service',
  'Destination Host Unreachable for Type of Service',
  'Packet filtered',
  'Precedence Violation',
  'Precedence Cutoff',
];
const REDIRECT = [
  'Redirect Network',
  'Redirect Host',
  'Redirect Type of Service and Network',
  'Redirect Type of Service and Host',
];

/** pr_icmph (iputils ping/ping.c). */
export function icmpWords(m: IcmpMessage): string {
  if (m.type === 3) {
    if (m.code === 4) return `${UNREACH[4]} (mtu = ${m.mtu ?? 0})`;
    return UNREACH[m.code] ?? `Dest Unreachable, Bad Code: ${m.code}`;
  }
  if (m.type === 5) return `${REDIRECT[m.code] ?? `Redirect, Bad Code: ${m.code}`}(New nexthop: ${m.gateway ?? ''})`;
  if (m.type === 11) return m.code === 0 ? 'Time to live exceeded' : 'Frag reassembly time exceeded';
  if (m.type === 12) return 'Parameter problem: pointer = 0';
  return `Bad ICMP type: ${m.type}`;
}

const pad3 = (n: number): string => String(n).padStart(3, '0');
const millis = (us: number): string => `${Math.floor(us / 1000)}.${pad3(us % 1000)}`;

/** Round trip as printed: three figures after the point below a millisecond, fewer above. */
export function tripTime(us: number): string {
  if (us >= 100_000 - 50) return String(Math.floor((us + 500) / 1000));
  if (us >= 10_000 - 5) return `${Math.floor((us + 50) / 1000)}.${Math.floor(((us + 50) % 1000) / 100)}`;
  if (us >= 1000)
    return `${Math.floor((us + 5) / 1000)}.${String(Math.floor(((us + 5) % 1000) / 10)).padStart(2, '0')}`;
  return millis(us);
}

export function rttLine(rtts: readonly number[]): string {
  const n = rtts.length;
  const sum = rtts.reduce((a, b) => a + b, 0);
  const squares = rtts.reduce((a, b) => a + b * b, 0);
  const avg = Math.floor(sum / n);
  const mdev = isqrt(Math.max(0, Math.floor(squares / n) - avg * avg));
  const parts = [Math.min(...rtts), avg, Math.max(...rtts), mdev].map(millis);
  return `rtt min/avg/max/mdev = ${parts.join('/')} ms`;
}

/** Integer square root (llsqrt). */
function isqrt(n: number): number {
  let x = Math.floor(Math.sqrt(n));
  while (x * x > n) x--;
  while ((x + 1) * (x + 1) <= n) x++;
  return x;
}

/** Percentage lost, as printf's %g prints it (six significant figures). */
export function loss(sent: number, received: number): string {
  if (sent === 0) return '0';
  const lost = (sent - received) * 100;
  const whole = Math.floor(lost / sent);
  const digits = whole >= 100 ? 3 : whole >= 10 ? 4 : whole >= 1 ? 5 : 6;
  const unit = ipow(10, digits);
  const scaled = Math.floor((lost * unit * 2 + sent) / (2 * sent));
  const frac = String(scaled % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return frac === '' ? String(Math.floor(scaled / unit)) : `${Math.floor(scaled / unit)}.${frac}`;
}
