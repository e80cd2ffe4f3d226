import { type Cidr, cidrContains, parseCidr } from '../../../base/ip';
import type { PrngStream } from '../../../base/prng';
import type { DnsMsg, RR } from '../../message';
import { CorefileError } from '../corefile';
import { type Handler, nextOrFailure, type PluginSpec, type Serve, type ServeCtx, type Writer } from '../plugin';

/** Shuffles address and MX records: aliases first, others next, addresses, mail servers (plugin/loadbalance). */
export function shuffled(rrs: readonly RR[], prng: PrngStream): readonly RR[] {
  if (rrs.length <= 1) return rrs;
  const of = (...types: string[]): RR[] => rrs.filter((r) => types.includes(r.type));
  const rest = rrs.filter((r) => !['CNAME', 'A', 'AAAA', 'MX'].includes(r.type));
  return [...of('CNAME'), ...rest, ...mix(of('A', 'AAAA'), prng), ...mix(of('MX'), prng)];
}

function mix(list: RR[], prng: PrngStream): RR[] {
  for (let j = 0; list.length > 1 && j < list.length; j++) {
    const p = j + prng.below(list.length - j);
    [list[j], list[p]] = [list[p] as RR, list[j] as RR];
  }
  return list;
}

function preferred(rrs: readonly RR[], nets: readonly Cidr[]): readonly RR[] {
  const isAddress = (r: RR): boolean => r.type === 'A' || r.type === 'AAAA';
  const near = (r: RR): boolean => isAddress(r) && nets.some((n) => cidrContains(n, r.rdata));
  return [...rrs.filter((r) => !isAddress(r)), ...rrs.filter(near), ...rrs.filter((r) => isAddress(r) && !near(r))];
}

class LoadBalance implements Handler {
  readonly name = 'loadbalance';
  constructor(
    private readonly prng: PrngStream,
    private readonly prefer: readonly Cidr[],
    private readonly next: Handler | undefined,
  ) {}
  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const writer: Writer = { peer: w.peer, write: (m) => w.write(this.change(m)) };
    return yield* nextOrFailure(this.name, this.next, ctx, writer, r);
  }
  private change(m: DnsMsg): DnsMsg {
    const type = m.question[0]?.type;
    if (m.rcode !== 'NOERROR' || type === 'AXFR' || type === 'IXFR') return m;
    m.answer = shuffled(m.answer, this.prng);
    m.authority = shuffled(m.authority, this.prng);
    m.additional = shuffled(m.additional, this.prng);
    if (this.prefer.length > 0) m.answer = preferred(m.answer, this.prefer);
    return m;
  }
}

export const loadbalance: PluginSpec = {
  name: 'loadbalance',
  setup(c) {
    const prefer: Cidr[] = [];
    while (c.next()) {
      const args = c.remainingArgs();
      const policy = args[0] ?? 'round_robin';
      if (policy !== 'round_robin') throw new CorefileError(`unknown policy: ${policy}`);
      if (args.length > 1) throw c.err(`unknown property for ${policy}`);
      while (c.nextBlock()) {
        if (c.val() !== 'prefer') throw c.err(`unknown property '${c.val()}'`);
        for (const a of c.remainingArgs()) {
          const net = parseCidr(a);
          if (!net) throw c.err(`invalid CIDR ${JSON.stringify(a)}: invalid CIDR address: ${a}`);
          prefer.push(net);
        }
      }
    }
    c.addPlugin((next) => new LoadBalance(c.env.prng, prefer, next));
  },
};
