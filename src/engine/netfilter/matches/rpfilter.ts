import { opt } from '../match-util';
import { defineMatch } from '../xt';

interface RpfilterSpec {
  loose?: boolean;
  validmark?: boolean;
  acceptLocal?: boolean;
  not?: boolean;
}

/** xt_rpfilter: whether an answer to the source would leave by the device the packet came in by. */
export const rpfilter = defineMatch<RpfilterSpec>({
  name: 'rpfilter',
  options: [opt('loose', 0, false), opt('validmark', 0, false), opt('accept-local', 0, false), opt('invert', 0, false)],
  init: () => ({}),
  parse(s, o) {
    if (o === 'loose') s.loose = true;
    else if (o === 'validmark') s.validmark = true;
    else if (o === 'accept-local') s.acceptLocal = true;
    else s.not = true;
  },
  print: (s) =>
    [
      ...(s.loose ? ['--loose'] : []),
      ...(s.validmark ? ['--validmark'] : []),
      ...(s.acceptLocal ? ['--accept-local'] : []),
      ...(s.not ? ['--invert'] : []),
    ].join(' '),
  list: (s) =>
    [
      'rpfilter',
      ...(s.loose ? ['loose'] : []),
      ...(s.validmark ? ['validmark'] : []),
      ...(s.acceptLocal ? ['accept-local'] : []),
      ...(s.not ? ['invert'] : []),
    ].join(' '),
  compile(s, env) {
    const inv = s.not ?? false;
    return (f) => {
      const dev = f.skb.inDev;
      if (dev === undefined || f.skb.pktType === 'loopback') return !inv;
      const ip = f.packet.ip;
      if (ip.src === '0.0.0.0') return !inv;
      const r = env.net.lookupRoute(env.netns, {
        dst: ip.src,
        ...(s.validmark ? { mark: f.skb.mark } : {}),
      });
      if (r.kind === 'local') return (s.acceptLocal ?? false) !== inv;
      if (r.kind !== 'unicast') return inv;
      return ((s.loose ?? false) || r.oif === dev) !== inv;
    };
  },
  value: (_s, f) => f.packet.ip.src,
});
