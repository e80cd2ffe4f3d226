import { ipFamily, parseIpv4 } from '../base/ip';
import type { NatRange } from './conntrack/api';
import { type ParseCtx, paramProblem } from './xt';

export interface NatTarget {
  minAddr?: string;
  maxAddr?: string;
  minPort?: number;
  maxPort?: number;
  basePort?: number;
  random?: boolean;
  randomFully?: boolean;
  persistent?: boolean;
}

const PORT_PROTOS = [6, 17, 132, 33, 136, 1, 58];

/** `min[-max][/base]` ports after a colon. */
export function parsePorts(s: NatTarget, text: string, ctx: ParseCtx): void {
  if (!ctx.proto || ctx.proto.not || !PORT_PROTOS.includes(ctx.proto.num)) {
    throw paramProblem('Need TCP, UDP, SCTP or DCCP with port specification');
  }
  const [range = '', base] = text.split('/');
  const [a = '', b] = range.split('-');
  const port = (t: string): number => {
    const n = /^[0-9]+$/.test(t) ? Number(t) : Number.NaN;
    if (!(n >= 1 && n <= 65535)) throw paramProblem(`Port \`${text}' not valid`);
    return n;
  };
  s.minPort = port(a);
  s.maxPort = b === undefined ? s.minPort : port(b);
  if (s.maxPort < s.minPort) throw paramProblem(`Port range \`${text}' funky`);
  if (base !== undefined) s.basePort = port(base);
}

/** `addr[-addr][:ports]` of SNAT and DNAT. */
export function parseTo(s: NatTarget, text: string, ctx: ParseCtx): void {
  let addrs = text;
  let ports: string | undefined;
  if (ctx.family === 4) {
    const colon = text.indexOf(':');
    if (colon >= 0) {
      addrs = text.slice(0, colon);
      ports = text.slice(colon + 1);
    }
  } else {
    const m = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
    if (m) {
      addrs = m[1] as string;
      ports = m[2];
    }
  }
  if (ports !== undefined) parsePorts(s, ports, ctx);
  if (addrs === '') return;
  const [a = '', b] = addrs.split('-');
  for (const x of [a, b ?? a]) if (ipFamily(x) !== ctx.family) throw paramProblem(`Bad IP address "${x}"`);
  s.minAddr = a;
  s.maxAddr = b ?? a;
  if (ctx.family === 4 && (parseIpv4(s.maxAddr) as number) < (parseIpv4(s.minAddr) as number)) {
    throw paramProblem(`Bad IP range "${a}-${b}"`);
  }
}

export function toText(s: NatTarget): string {
  let out = s.minAddr ?? '';
  if (s.maxAddr !== s.minAddr) out += `-${s.maxAddr}`;
  if (s.minPort === undefined) return out;
  if (out.includes(':')) out = `[${out}]`;
  out += `:${portsText(s)}`;
  return out;
}

export const portsText = (s: NatTarget): string =>
  `${s.minPort}${s.maxPort === s.minPort ? '' : `-${s.maxPort}`}${s.basePort === undefined ? '' : `/${s.basePort}`}`;

export const flagOptions = (s: NatTarget): string[] => [
  ...(s.random ? ['--random'] : []),
  ...(s.randomFully ? ['--random-fully'] : []),
  ...(s.persistent ? ['--persistent'] : []),
];
export const flagWords = (s: NatTarget): string[] => flagOptions(s).map((o) => o.slice(2));

export const rangeOf = (s: NatTarget): NatRange => s;
