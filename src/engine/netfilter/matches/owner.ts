import { parseUint } from '../args';
import { bang, opt } from '../match-util';
import { defineMatch, extProblem } from '../xt';

interface OwnerSpec {
  uid?: { lo: number; hi: number; not?: boolean };
  gid?: { lo: number; hi: number; not?: boolean };
  socket?: { not?: boolean };
}

function range(option: string, text: string): { lo: number; hi: number } {
  const [a = '', b] = text.split('-');
  const named = a === 'root' && b === undefined ? 0 : undefined;
  const lo = named ?? parseUint(a, 0, 0xfffffffe);
  const hi = b === undefined ? lo : parseUint(b, 0, 0xfffffffe);
  if (lo === undefined || hi === undefined) {
    throw extProblem('owner', `bad value for option "--${option}", or out of range.\n`);
  }
  return { lo, hi };
}
const text = (r: { lo: number; hi: number }): string => (r.lo === r.hi ? String(r.lo) : `${r.lo}-${r.hi}`);

/** xt_owner: user and group of the socket that sent a local packet (groups equal users in the model). */
export const owner = defineMatch<OwnerSpec>({
  name: 'owner',
  options: [opt('uid-owner'), opt('gid-owner'), opt('socket-exists', 0), opt('suppl-groups', 0, false)],
  init: () => ({}),
  parse(s, o, [arg = ''], not) {
    const inv = not ? { not } : {};
    if (o === 'uid-owner') s.uid = { ...range(o, arg), ...inv };
    else if (o === 'gid-owner') s.gid = { ...range(o, arg), ...inv };
    else if (o === 'socket-exists') s.socket = inv;
  },
  check(_s, given) {
    if (given.size === 0)
      throw extProblem('owner', 'At least one of --uid-owner, --gid-owner or --socket-exists is required');
  },
  print: (s) =>
    [
      ...(s.socket ? [`${bang(s.socket.not)}--socket-exists`] : []),
      ...(s.uid ? [`${bang(s.uid.not)}--uid-owner ${text(s.uid)}`] : []),
      ...(s.gid ? [`${bang(s.gid.not)}--gid-owner ${text(s.gid)}`] : []),
    ].join(' '),
  list: (s, ctx) => {
    const user = (r: { lo: number; hi: number }): string => (r.hi === 0 && !ctx.numeric ? 'root' : text(r));
    return [
      ...(s.socket ? [`owner socket ${s.socket.not ? 'does not exist' : 'exists'}`] : []),
      ...(s.uid ? [`${bang(s.uid.not)}owner UID match ${user(s.uid)}`] : []),
      ...(s.gid ? [`${bang(s.gid.not)}owner GID match ${user(s.gid)}`] : []),
    ].join(' ');
  },
  compile: (s) => (f) => {
    const o = f.skb.origin;
    const sock = o?.kind === 'socket' ? o : undefined;
    if (!sock) return (s.socket?.not ?? false) && !s.uid && !s.gid;
    if (s.socket?.not) return false;
    const hit = (r: { lo: number; hi: number; not?: boolean } | undefined): boolean =>
      r === undefined || (sock.uid >= r.lo && sock.uid <= r.hi) !== (r.not ?? false);
    return hit(s.uid) && hit(s.gid);
  },
  value: (_s, f) => (f.skb.origin?.kind === 'socket' ? `uid ${f.skb.origin.uid}` : ''),
});
