import { DEVS, NETNS } from '../../net/records';
import { TCP } from '../../net/types';
import { parseUint } from '../args';
import { opt } from '../match-util';
import { CONTINUE, defineTarget, extProblem } from '../xt';

/** xt_TCPMSS: lowers (never raises, when clamping) the MSS option of a SYN. */
export const tcpmss = defineTarget<{ mss?: number; clamp?: boolean }>({
  name: 'TCPMSS',
  options: [
    opt('set-mss', 1, false, { excludes: ['clamp-mss-to-pmtu'] }),
    opt('clamp-mss-to-pmtu', 0, false, { excludes: ['set-mss'] }),
  ],
  tables: ['mangle', 'filter', 'raw', 'security'],
  accepts: (_s, rule) => rule.proto?.num === 6 && !rule.proto.not,
  init: () => ({}),
  parse(s, o, [arg = '']) {
    if (o === 'clamp-mss-to-pmtu') s.clamp = true;
    else {
      const n = parseUint(arg, 0, 65496);
      if (n === undefined) throw extProblem('TCPMSS', 'bad value for option "--set-mss", or out of range (0-65496).\n');
      s.mss = n;
    }
  },
  check(_s, given) {
    if (given.size === 0) throw extProblem('TCPMSS', 'At least one parameter is required');
  },
  print: (s) => (s.clamp ? '--clamp-mss-to-pmtu' : `--set-mss ${s.mss}`),
  list: (s) => (s.clamp ? 'TCPMSS clamp to PMTU' : `TCPMSS set ${s.mss}`),
  run(s, f, ctx) {
    const l4 = f.packet.l4;
    if (l4.kind !== 'tcp' || (l4.flags & TCP.SYN) === 0) return CONTINUE;
    const header = f.family === 4 ? 40 : 60;
    let want = s.mss ?? 0;
    if (s.clamp) {
      const mtu = (dev: string | undefined): number =>
        (dev === undefined ? undefined : ctx.env.world.map(DEVS).get(dev)?.mtu) ?? 65535;
      const back = ctx.env.net.lookupRoute(ctx.env.netns, { dst: f.packet.ip.src });
      want = Math.min(mtu(f.skb.outDev), mtu(back.oif)) - header;
      if (!ctx.env.world.map(NETNS).has(ctx.env.netns)) return CONTINUE;
    }
    const old = l4.options?.mss;
    if (old !== undefined && (old <= want || want <= 0)) return CONTINUE;
    const mss = old === undefined ? Math.min(want, 536) : want;
    ctx.setPacket(f, { ...f.packet, l4: { ...l4, options: { ...l4.options, mss } } }, 'tcpmss');
    return CONTINUE;
  },
});
