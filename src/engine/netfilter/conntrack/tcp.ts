import { ipow } from '../../base/int';
import { type CtDir, IPPROTO, type Packet, TCP, type TcpSegment } from '../../net/types';
import { type CtProtocol, invalid, TRACKED, type TrackCtx, type TrackResult } from './protocol';
import { nfSysctl, timeoutUs } from './timeouts';
import { type CtDraft, IPCT, IPS, type TcpSide, type TcpTrack } from './types';

// Connection states (enum tcp_conntrack). IG: ignored, IV: invalid.
const NO = 0;
const SS = 1;
const SR = 2;
const ES = 3;
const FW = 4;
const CW = 5;
const LA = 6;
const TW = 7;
const CL = 8;
const S2 = 9;
const IG = 10;
const IV = 11;

// enum tcp_bit_set
const SYN_SET = 0;
const SYNACK_SET = 1;
const FIN_SET = 2;
const ACK_SET = 3;
const RST_SET = 4;
const NONE_SET = 5;

// IP_CT_TCP_FLAG_*
const WINDOW_SCALE = 0x01;
const SACK_PERM = 0x02;
const CLOSE_INIT = 0x04;
const BE_LIBERAL = 0x08;
const DATA_UNACKNOWLEDGED = 0x10;
const MAXACK_SET = 0x20;
const EXP_CHALLENGE_ACK = 0x40;
const SIMULTANEOUS_OPEN = 0x80;

/** States after a segment, by direction, kind of segment and state before (nf_conntrack_proto_tcp.c's table). */
const NEXT: readonly (readonly (readonly number[])[])[] = [
  [
    //        NO  SS  SR  ES  FW  CW  LA  TW  CL  S2
    /*syn*/ [SS, SS, IG, IG, IG, IG, IG, SS, SS, S2],
    /*sa*/ [IV, IV, SR, IV, IV, IV, IV, IV, IV, SR],
    /*fin*/ [IV, IV, FW, FW, LA, LA, LA, TW, CL, IV],
    /*ack*/ [ES, IV, ES, ES, CW, CW, TW, TW, CL, IV],
    /*rst*/ [IV, CL, CL, CL, CL, CL, CL, CL, CL, CL],
    /*none*/ [IV, IV, IV, IV, IV, IV, IV, IV, IV, IV],
  ],
  [
    /*syn*/ [IV, S2, IV, IV, IV, IV, IV, SS, IV, S2],
    /*sa*/ [IV, SR, IG, IG, IG, IG, IG, IG, IG, SR],
    /*fin*/ [IV, IV, FW, FW, LA, LA, LA, TW, CL, IV],
    /*ack*/ [IV, IG, SR, ES, CW, CW, TW, TW, CL, IG],
    /*rst*/ [IV, CL, CL, CL, CL, CL, CL, CL, CL, CL],
    /*none*/ [IV, IV, IV, IV, IV, IV, IV, IV, IV, IV],
  ],
];

const TIMEOUTS = [
  '',
  'syn_sent',
  'syn_recv',
  'established',
  'fin_wait',
  'close_wait',
  'last_ack',
  'time_wait',
  'close',
  'syn_sent',
] as const;

/** tcp_valid_flags: combinations of SYN, RST, FIN, ACK, URG that a stack may send. */
const VALID_FLAGS: readonly number[] = [
  TCP.SYN,
  TCP.SYN | TCP.URG,
  TCP.SYN | TCP.ACK,
  TCP.RST,
  TCP.RST | TCP.ACK,
  TCP.FIN | TCP.ACK,
  TCP.FIN | TCP.ACK | TCP.URG,
  TCP.ACK,
  TCP.ACK | TCP.URG,
];

const u32 = (n: number): number => n >>> 0;
const before = (a: number, b: number): boolean => ((a - b) | 0) < 0;
const after = (a: number, b: number): boolean => before(b, a);

function kindOf(flags: number): number {
  if (flags & TCP.RST) return RST_SET;
  if (flags & TCP.SYN) return flags & TCP.ACK ? SYNACK_SET : SYN_SET;
  if (flags & TCP.FIN) return FIN_SET;
  return flags & TCP.ACK ? ACK_SET : NONE_SET;
}

/** segment_seq_plus_len. */
const segmentEnd = (t: TcpSegment): number =>
  u32(t.seq + t.payload.len + (t.flags & TCP.SYN ? 1 : 0) + (t.flags & TCP.FIN ? 1 : 0));

const side = (): TcpSide => ({ end: 0, maxend: 0, maxwin: 0, maxack: 0, scale: 0, flags: 0 });
const track = (): TcpTrack => ({
  seen: [side(), side()],
  state: NO,
  lastDir: 0,
  retrans: 0,
  lastIndex: NONE_SET,
  lastSeq: 0,
  lastAck: 0,
  lastEnd: 0,
  lastWin: 0,
  lastWscale: 0,
  lastFlags: 0,
});

/** tcp_options: window scale and SACK permission; a segment without options leaves the side as it is. */
function readOptions(t: TcpSegment, s: TcpSide): void {
  const o = t.options;
  if (!o || Object.keys(o).length === 0) return;
  s.scale = 0;
  s.flags &= BE_LIBERAL;
  if (o.sackOk) s.flags |= SACK_PERM;
  if (o.wscale !== undefined) {
    s.scale = Math.min(o.wscale, 14);
    s.flags |= WINDOW_SCALE;
  }
}

function initSender(sender: TcpSide, receiver: TcpSide, t: TcpSegment, end: number, win: number, dir: CtDir): void {
  sender.end = end;
  sender.maxend = end;
  sender.maxwin = win === 0 ? 1 : win;
  readOptions(t, sender);
  // RFC 1323: both sides must send the option.
  if (dir === 'reply' && !(sender.flags & WINDOW_SCALE && receiver.flags & WINDOW_SCALE)) {
    sender.scale = 0;
    receiver.scale = 0;
  }
}

/** tcp_new: the first segment of a flow; false when none can begin with it. */
function begin(d: CtDraft, t: TcpSegment, ctx: TrackCtx): boolean {
  const first = NEXT[0]?.[kindOf(t.flags)]?.[NO] as number;
  if (first >= IG) return false;
  const tcp = track();
  const s = tcp.seen[0];
  s.end = segmentEnd(t);
  s.maxwin = t.window === 0 ? 1 : t.window;
  if (first === SS) {
    s.maxend = s.end;
    readOptions(t, s);
  } else {
    if (nfSysctl(ctx.net, d.netns, 'nf_conntrack_tcp_loose') === 0) return false;
    // The history is lost: assume SACK and look at windows liberally.
    s.maxend = u32(s.end + s.maxwin);
    tcp.seen[0].flags = SACK_PERM | BE_LIBERAL;
    tcp.seen[1].flags = SACK_PERM | BE_LIBERAL;
  }
  d.tcp = tcp;
  return true;
}

type WindowResult = 'accept' | 'ignore' | { readonly invalid: string };

const MAXACKWINCONST = 66000;

/** tcp_in_window: the four bounds of van Rooij's paper, and what the segment teaches. */
function inWindow(d: CtDraft, tcp: TcpTrack, t: TcpSegment, dir: CtDir, index: number, ctx: TrackCtx): WindowResult {
  const me = dir === 'original' ? 0 : 1;
  const sender = tcp.seen[me];
  const receiver = tcp.seen[me === 0 ? 1 : 0];
  let seq = t.seq;
  let ack = t.ack;
  let sack = ack;
  let win = t.window;
  let end = segmentEnd(t);
  const has = (flag: number): boolean => (t.flags & flag) !== 0;

  const refuse = (result: WindowResult): WindowResult =>
    sender.flags & BE_LIBERAL || nfSysctl(ctx.net, d.netns, 'nf_conntrack_tcp_be_liberal') !== 0 ? 'accept' : result;

  if (sender.maxwin === 0) {
    if (has(TCP.SYN)) {
      initSender(sender, receiver, t, end, win, dir);
      if (!has(TCP.ACK)) return 'accept'; // simultaneous open
    } else {
      sender.end = end;
      const swin = win * ipow(2, sender.scale);
      sender.maxwin = swin === 0 ? 1 : swin;
      sender.maxend = u32(end + sender.maxwin);
      if (receiver.maxwin === 0) {
        receiver.end = sack;
        receiver.maxend = sack;
      } else if (sack === u32(receiver.end + 1)) {
        receiver.end = u32(receiver.end + 1); // likely a keepalive's answer
      }
    }
  } else if (has(TCP.SYN) && after(end, sender.end) && (tcp.state === SS || tcp.state === SR)) {
    initSender(sender, receiver, t, end, win, dir);
    if (dir === 'reply' && !has(TCP.ACK)) return 'accept';
  }

  if (!has(TCP.ACK) || (has(TCP.RST) && ack === 0)) {
    ack = receiver.end;
    sack = receiver.end;
  }
  if (has(TCP.RST) && seq === 0 && tcp.state === SS) {
    seq = sender.end;
    end = sender.end;
  }

  const maxAckWindow = Math.max(sender.maxwin, MAXACKWINCONST);
  if (!before(seq, u32(sender.maxend + 1))) {
    const overshot = u32(end - sender.maxend + 1);
    const ackOk = after(sack, u32(receiver.end - maxAckWindow - 1));
    const inRecv = receiver.maxwin !== 0 && after(end, u32(sender.end - receiver.maxwin - 1));
    if (inRecv && ackOk && overshot <= receiver.maxwin && before(sack, u32(receiver.end + 1))) {
      sender.end = end;
      sender.flags |= DATA_UNACKNOWLEDGED;
      return refuse('ignore');
    }
    return refuse({ invalid: 'SEQ is over upper bound (over the window of the receiver)' });
  }
  if (!before(sack, u32(receiver.end + 1))) {
    return refuse({ invalid: 'ACK is over upper bound (ACKed data not seen yet)' });
  }
  if (receiver.maxwin !== 0 && !after(end, u32(sender.end - receiver.maxwin - 1))) return refuse('ignore');
  if (!after(sack, u32(receiver.end - maxAckWindow - 1))) return refuse('ignore');

  if (!has(TCP.SYN)) win *= ipow(2, sender.scale);
  const swin = u32(win + u32(sack - ack));
  if (sender.maxwin < swin) sender.maxwin = swin;
  if (after(end, sender.end)) {
    sender.end = end;
    sender.flags |= DATA_UNACKNOWLEDGED;
  }
  if (has(TCP.ACK)) {
    if (!(sender.flags & MAXACK_SET)) {
      sender.maxack = ack;
      sender.flags |= MAXACK_SET;
    } else if (after(ack, sender.maxack)) sender.maxack = ack;
  }
  if (receiver.maxwin !== 0 && after(end, sender.maxend)) receiver.maxwin += u32(end - sender.maxend);
  if (after(u32(sack + win), u32(receiver.maxend - 1))) {
    receiver.maxend = u32(sack + win);
    if (win === 0) receiver.maxend = u32(receiver.maxend + 1);
  }
  if (ack === receiver.end) receiver.flags &= ~DATA_UNACKNOWLEDGED;

  if (index === ACK_SET) {
    if (
      tcp.lastDir === me &&
      tcp.lastSeq === seq &&
      tcp.lastAck === ack &&
      tcp.lastEnd === end &&
      tcp.lastWin === t.window
    ) {
      tcp.retrans++;
    } else {
      tcp.lastDir = me;
      tcp.lastSeq = seq;
      tcp.lastAck = ack;
      tcp.lastEnd = end;
      tcp.lastWin = t.window;
      tcp.retrans = 0;
    }
  }
  return 'accept';
}

/** nf_conntrack_tcp_established. */
const established = (d: CtDraft, tcp: TcpTrack): boolean => tcp.state === ES && (d.status & IPS.ASSURED) !== 0;

/** nf_tcp_handle_invalid: FIN or RST out of the window from both sides shortens an assured entry's life. */
function handleInvalid(d: CtDraft, tcp: TcpTrack, me: number, index: number, ctx: TrackCtx): void {
  if ((d.status & IPS.ASSURED) === 0 || d.status & IPS.FIXED_TIMEOUT) return;
  if (index !== RST_SET && index !== FIN_SET) return;
  if (tcp.lastDir !== me && (tcp.lastIndex === FIN_SET || tcp.lastIndex === RST_SET)) {
    if (ctx.leftUs < 120_000_000) return;
    const unack = timeoutUs(ctx.net, d.netns, 'nf_conntrack_tcp_timeout_unacknowledged');
    if (ctx.leftUs > unack) d.expiresAtUs = ctx.nowUs + unack;
  } else {
    tcp.lastIndex = index;
    tcp.lastDir = me;
  }
}

/** What the state table alone cannot tell. Returns the state to go to, or the packet's end. */
function special(
  d: CtDraft,
  tcp: TcpTrack,
  t: TcpSegment,
  dir: CtDir,
  index: number,
  next: number,
  ctx: TrackCtx,
): { readonly next: number; readonly old: number; readonly skipWindow?: boolean } | TrackResult {
  const me = dir === 'original' ? 0 : 1;
  const peer = tcp.seen[me === 0 ? 1 : 0];
  const old = tcp.state;
  const go = (state: number, oldState = old, skipWindow = false) => ({ next: state, old: oldState, skipWindow });

  if (next === SS && old < TW) return go(next);
  if (next === SS || next === IG) {
    if (
      next === SS &&
      ((tcp.seen[0].flags | tcp.seen[1].flags) & CLOSE_INIT || (tcp.lastDir === me && tcp.lastIndex === RST_SET))
    ) {
      return { kind: 'repeat' }; // a closed or aborted connection is opened again: look up anew
    }
    if (index === SYNACK_SET && tcp.lastIndex === SYN_SET && tcp.lastDir !== me && t.ack === tcp.lastEnd) {
      // The peer accepts a SYN that was ignored before: client and server are in sync, we follow them.
      const s = tcp.seen[tcp.lastDir as 0 | 1];
      s.end = tcp.lastEnd;
      s.maxend = tcp.lastEnd;
      s.maxwin = tcp.lastWin === 0 ? 1 : tcp.lastWin;
      s.scale = tcp.lastWscale;
      tcp.lastFlags &= ~EXP_CHALLENGE_ACK;
      s.flags = tcp.lastFlags;
      tcp.seen[me] = { ...side(), flags: tcp.seen[me].flags & BE_LIBERAL };
      return go(SR, SS);
    }
    tcp.lastIndex = index;
    tcp.lastDir = me;
    tcp.lastSeq = t.seq;
    tcp.lastEnd = segmentEnd(t);
    tcp.lastWin = t.window;
    if (index === SYN_SET && dir === 'original') {
      const seen = side();
      tcp.lastFlags = 0;
      tcp.lastWscale = 0;
      readOptions(t, seen);
      if (seen.flags & WINDOW_SCALE) {
        tcp.lastFlags |= WINDOW_SCALE;
        tcp.lastWscale = seen.scale;
      }
      if (seen.flags & SACK_PERM) tcp.lastFlags |= SACK_PERM;
      if (old === LA) tcp.lastFlags |= EXP_CHALLENGE_ACK;
    }
    if (old === SS && index === ACK_SET && dir === 'reply') tcp.lastAck = t.ack;
    return TRACKED;
  }
  if (next === IV) return invalid('invalid state');
  if (
    next === TW &&
    old === LA &&
    index === ACK_SET &&
    tcp.lastDir !== me &&
    tcp.lastIndex === SYN_SET &&
    tcp.lastFlags & EXP_CHALLENGE_ACK
  ) {
    tcp.lastFlags &= ~EXP_CHALLENGE_ACK; // RFC 5961 challenge ACK, not the last ACK
    return TRACKED;
  }
  if (next === S2) tcp.lastFlags |= SIMULTANEOUS_OPEN;
  if (next === SR && dir === 'reply' && index === ACK_SET && tcp.lastFlags & SIMULTANEOUS_OPEN) return go(ES);
  if (next === CL && index === RST_SET) {
    if (peer.flags & MAXACK_SET) {
      if (t.seq === 0 && !established(d, tcp)) return go(next);
      if (before(t.seq, peer.maxack) && nfSysctl(ctx.net, d.netns, 'nf_conntrack_tcp_ignore_invalid_rst') === 0) {
        return invalid('invalid rst');
      }
      if (!established(d, tcp) || t.seq === peer.maxack) return go(next);
      if (tcp.lastIndex === ACK_SET && tcp.lastDir === me && t.seq === tcp.lastEnd) return go(next);
      return go(old); // not exact: a challenge ACK may follow
    }
    const answersIgnored =
      ((d.status & IPS.SEEN_REPLY && tcp.lastIndex === SYN_SET) ||
        ((d.status & IPS.ASSURED) === 0 && tcp.lastIndex === ACK_SET)) &&
      t.ack === tcp.lastEnd;
    if (answersIgnored) return go(next, old, true);
    if (old === SS && tcp.lastIndex === ACK_SET && tcp.lastDir === 1 && t.seq === tcp.lastAck) {
      return go(next, old, true);
    }
  }
  return go(next);
}

/** nf_conntrack_tcp_packet. */
function packet(d: CtDraft, p: Packet, dir: CtDir, ctx: TrackCtx): TrackResult {
  if (p.l4.kind !== 'tcp') return invalid('tcp: truncated packet');
  const t = p.l4;
  if (!VALID_FLAGS.includes(t.flags & ~(TCP.ECE | TCP.CWR | TCP.PSH)))
    return invalid('tcp: invalid tcp flag combination');
  if (!ctx.confirmed && !begin(d, t, ctx)) return invalid('tcp: not a start of a connection');
  const was = d.tcp as TcpTrack;
  const tcp: TcpTrack = { ...was, seen: [{ ...was.seen[0] }, { ...was.seen[1] }] };
  d.tcp = tcp;

  const me = dir === 'original' ? 0 : 1;
  const index = kindOf(t.flags);
  const step = special(d, tcp, t, dir, index, NEXT[me]?.[index]?.[tcp.state] as number, ctx);
  if ('kind' in step) return step;
  const { next, old } = step;

  if (!step.skipWindow) {
    const res = inWindow(d, tcp, t, dir, index, ctx);
    if (res === 'ignore') return TRACKED;
    if (res !== 'accept') {
      handleInvalid(d, tcp, me, index, ctx);
      return invalid(res.invalid);
    }
  }

  tcp.lastIndex = index;
  tcp.lastDir = me;
  tcp.state = next;
  if (old !== next && next === FW) tcp.seen[me].flags |= CLOSE_INIT;

  const us = (name: string): number => timeoutUs(ctx.net, d.netns, `nf_conntrack_tcp_timeout_${name}`);
  const normal = us(TIMEOUTS[next] as string);
  const retrans = us('max_retrans');
  const unack = us('unacknowledged');
  let timeout = normal;
  if (tcp.retrans >= nfSysctl(ctx.net, d.netns, 'nf_conntrack_tcp_max_retrans') && normal > retrans) timeout = retrans;
  else if (index === RST_SET) timeout = us('close');
  else if ((tcp.seen[0].flags | tcp.seen[1].flags) & DATA_UNACKNOWLEDGED && normal > unack) timeout = unack;
  else if (tcp.lastWin === 0 && normal > retrans) timeout = retrans;

  if (next !== old) ctx.event(IPCT.PROTOINFO);

  if ((d.status & IPS.SEEN_REPLY) === 0) {
    if (t.flags & TCP.RST) return { kind: 'kill' };
    // A SYN sent again does not keep the entry alive.
    if (index === SYN_SET && old === SS) return TRACKED;
    if (next === ES && timeout > unack) timeout = unack;
  } else if ((d.status & IPS.ASSURED) === 0 && (old === SR || old === ES) && next === ES) {
    d.status |= IPS.ASSURED;
    ctx.event(IPCT.ASSURED);
  }
  ctx.refresh(timeout);
  return TRACKED;
}

export const tcp: CtProtocol = {
  name: 'tcp',
  proto: IPPROTO.tcp,
  allowClash: false,
  packet,
  canEarlyDrop: (e) => e.tcp !== undefined && [FW, CW, LA, TW, CL].includes(e.tcp.state),
};
