import type { PrngStream } from '../../base/prng';
import type { RecordMap } from '../../base/recordmap';
import type { NetnsId } from '../types';
import { type Endpoint, pairKey, portKey, type SockProto, type SockRecord } from './records';

const ANY = '0.0.0.0';
const overlaps = (a: string, b: string): boolean => a === ANY || b === ANY || a === b;

/** inet_csk_bind_conflict / udp_lib_lport_inuse: whether `local` may be bound beside the sockets there are. */
export function bindConflict(
  socks: RecordMap<SockRecord>,
  s: Pick<SockRecord, 'id' | 'netns' | 'proto' | 'reuse'>,
  local: Endpoint,
): boolean {
  for (const id of socks.by('port', portKey(s.netns, s.proto, local.port))) {
    const o = socks.get(id) as SockRecord;
    if (o.id === s.id || !overlaps(o.local.ip, local.ip)) continue;
    if (s.reuse && o.reuse && o.state !== 'LISTEN') continue;
    return true;
  }
  return false;
}

/**
 * A free local port for connect() or bind(0). TCP connect tries ports of the range's own parity first and bind(0) those
 * of the other, from a random offset (__inet_hash_connect, inet_csk_find_open_port); UDP takes any.
 */
export function ephemeralPort(
  socks: RecordMap<SockRecord>,
  stream: PrngStream,
  range: readonly [number, number],
  s: Pick<SockRecord, 'id' | 'netns' | 'proto' | 'reuse'>,
  local: string,
  remote: Endpoint | undefined,
): number | undefined {
  const [low, high] = range;
  const count = high - low + 1;
  const step = s.proto === 'tcp' && count > 1 ? 2 : 1;
  const start = stream.below(count);
  for (let pass = 0; pass < step; pass++) {
    const parity = remote === undefined && s.proto === 'tcp' ? 1 - pass : pass;
    const offset = step === 2 ? start - (start % 2) + parity : start;
    for (let i = 0; i < count; i += step) {
      const port = low + ((offset + i) % count);
      if (free(socks, s.netns, s.proto, { ip: local, port }, remote, s)) return port;
    }
  }
  return undefined;
}

function free(
  socks: RecordMap<SockRecord>,
  netns: NetnsId,
  proto: SockProto,
  local: Endpoint,
  remote: Endpoint | undefined,
  s: Pick<SockRecord, 'id' | 'netns' | 'proto' | 'reuse'>,
): boolean {
  if (remote === undefined || proto !== 'tcp') return !bindConflict(socks, s, local);
  for (const id of socks.by('port', portKey(netns, proto, local.port))) {
    const o = socks.get(id) as SockRecord;
    // A port that was bound for itself is not shared with connecting sockets.
    if (o.id !== s.id && (o.boundPort || o.remote === undefined) && overlaps(o.local.ip, local.ip)) return false;
  }
  return socks.by('pair', pairKey(netns, proto, local, remote)).length === 0;
}
