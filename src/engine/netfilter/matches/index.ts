import type { AnyMatch } from '../xt';
import { addrtype } from './addrtype';
import { comment } from './comment';
import { connbytes } from './connbytes';
import { connlimit } from './connlimit';
import { connmark } from './connmark';
import { conntrack } from './conntrack';
import { dscp } from './dscp';
import { ecn } from './ecn';
import { hashlimit } from './hashlimit';
import { icmp, icmp6 } from './icmp';
import { iprange } from './iprange';
import { length } from './length';
import { limit } from './limit';
import { mac } from './mac';
import { mark } from './mark';
import { multiport } from './multiport';
import { nfacct } from './nfacct';
import { owner } from './owner';
import { physdev } from './physdev';
import { pkttype } from './pkttype';
import { quota } from './quota';
import { recent } from './recent';
import { rpfilter } from './rpfilter';
import { sctp } from './sctp';
import { set } from './set';
import { socket } from './socket';
import { state } from './state';
import { statistic } from './statistic';
import { tcp } from './tcp';
import { tcpmss } from './tcpmss';
import { time } from './time';
import { hl, ttl } from './ttl';
import { udp } from './udp';

/** Every match that the model knows: one file, one line. */
export const MATCHES: readonly AnyMatch[] = [
  addrtype,
  comment,
  connbytes,
  connlimit,
  connmark,
  conntrack,
  dscp,
  ecn,
  hashlimit,
  hl,
  icmp,
  icmp6,
  iprange,
  length,
  limit,
  mac,
  mark,
  multiport,
  nfacct,
  owner,
  physdev,
  pkttype,
  quota,
  recent,
  rpfilter,
  sctp,
  set,
  socket,
  state,
  statistic,
  tcp,
  tcpmss,
  time,
  ttl,
  udp,
];
