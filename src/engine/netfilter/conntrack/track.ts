import { TCP_STATES, type TcpTrack } from './types';

/** TCP tracking data of an entry made by hand: a state, and windows that take anything. */
export function trackOf(state: string): TcpTrack {
  const side = () => ({ end: 0, maxend: 0, maxwin: 0, maxack: 0, scale: 0, flags: 8 });
  return {
    seen: [side(), side()],
    state: (TCP_STATES as readonly string[]).indexOf(state),
    lastDir: 0,
    retrans: 0,
    lastIndex: 5,
    lastSeq: 0,
    lastAck: 0,
    lastEnd: 0,
    lastWin: 0,
    lastWscale: 0,
    lastFlags: 0,
  };
}
