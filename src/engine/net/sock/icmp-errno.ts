/** icmp_err_convert (net/ipv4/icmp.c): errno of an unreachable code and whether it is fatal for a socket. */
const UNREACH: readonly (readonly [string, boolean])[] = [
  ['ENETUNREACH', false],
  ['EHOSTUNREACH', false],
  ['ENOPROTOOPT', true],
  ['ECONNREFUSED', true],
  ['EMSGSIZE', false],
  ['EOPNOTSUPP', false],
  ['ENETUNREACH', true],
  ['EHOSTDOWN', true],
  ['ENONET', true],
  ['ENETUNREACH', true],
  ['EHOSTUNREACH', true],
  ['ENETUNREACH', false],
  ['EHOSTUNREACH', false],
  ['EHOSTUNREACH', true],
  ['EHOSTUNREACH', true],
  ['EHOSTUNREACH', true],
];

/** What an ICMP error means to the socket whose packet it quotes; undefined: nothing (redirect). */
export function icmpErrno(type: number, code: number): { errno: string; fatal: boolean } | undefined {
  if (type === 11) return { errno: 'EHOSTUNREACH', fatal: false };
  if (type === 12) return { errno: 'EPROTO', fatal: true };
  if (type !== 3) return undefined;
  const e = UNREACH[code];
  return e && { errno: e[0], fatal: e[1] };
}
