import { formatIpv6, ipFamily, parseCidr, parseIpv4, parseIpv6 } from '../../../base/ip';
import { type RR, replyTo } from '../../message';
import { CorefileError } from '../corefile';
import { NonWriter, nextOrFailure, type PluginSpec, qnameOf, qtypeOf } from '../plugin';
import { typify } from '../respond';

/** RFC 6052 with a /96 prefix: the IPv4 address in the last 32 bits. */
function embed(prefix: string, v4: string): string {
  const g = parseIpv6(prefix) as number[];
  const n = parseIpv4(v4) as number;
  return formatIpv6([...g.slice(0, 6), Math.floor(n / 65536), n % 65536]);
}

/** Makes AAAA records out of A records for clients that ask over IPv6 (RFC 6147, plugin/dns64). */
export const dns64: PluginSpec = {
  name: 'dns64',
  setup(c) {
    let prefix = '64:ff9b::';
    let all = false;
    let allowV4 = false;
    const take = (text: string): void => {
      const net = parseCidr(text);
      if (!net || !text.includes(':') || net.prefix !== 96)
        throw new CorefileError(`invalid netmask ${net?.prefix ?? 0} IPv6 address: ${JSON.stringify(text)}`);
      prefix = text.slice(0, text.lastIndexOf('/'));
    };
    while (c.next()) {
      const args = c.remainingArgs();
      if (args.length > 1) throw c.argErr();
      if (args[0] !== undefined) take(args[0]);
      while (c.nextBlock()) {
        switch (c.val()) {
          case 'prefix':
            if (!c.nextArg()) throw c.argErr();
            take(c.val());
            break;
          case 'translate_all':
            all = true;
            break;
          case 'allow_ipv4':
            allowV4 = true;
            break;
          default:
            throw c.err(`unknown property '${c.val()}'`);
        }
      }
    }
    c.addPlugin((next) => ({
      name: 'dns64',
      *serve(ctx, w, r) {
        const v4 = ipFamily(w.peer.ip) === 4;
        if ((v4 && !allowV4) || qtypeOf(r) !== 'AAAA' || r.question[0]?.class !== 'IN')
          return yield* nextOrFailure('dns64', next, ctx, w, r);
        const nw = new NonWriter(w.peer);
        const result = yield* nextOrFailure('dns64', next, ctx, nw, r);
        const first = nw.msg;
        if (!first) return result;
        if (typify(first) === 'NXDOMAIN' || (!all && first.answer.some((x) => x.type === 'AAAA'))) {
          w.write(first);
          return result;
        }
        const a = yield* ctx.lookup(w, r, qnameOf(r), 'A');
        const soaTtl = first.authority.find((x) => x.type === 'SOA')?.ttl ?? 600;
        const m = replyTo(r);
        if (a) {
          m.tc = a.tc;
          m.authority = a.authority;
          m.additional = a.additional;
          m.answer = a.answer.map(
            (x): RR =>
              x.type === 'A' ? { ...x, type: 'AAAA', ttl: Math.min(x.ttl, soaTtl), rdata: embed(prefix, x.rdata) } : x,
          );
        }
        w.write(m);
        return { rcode: m.rcode };
      },
    }));
  },
};
