import { type Cidr, cidrContains, parseCidr } from '../../../base/ip';
import { type DnsMsg, type Edns, replyTo, TYPES } from '../../message';
import { matchZones } from '../../names';
import { origins } from '../normalize';
import {
  type Controller,
  type Handler,
  nextOrFailure,
  OK,
  type PluginSpec,
  qnameOf,
  qtypeOf,
  type Serve,
  type ServeCtx,
  type Writer,
} from '../plugin';

type Action = 'allow' | 'block' | 'filter' | 'drop';
interface Policy {
  readonly action: Action;
  /** Undefined: every type. */
  readonly types: ReadonlySet<string> | undefined;
  /** Undefined: every address. */
  readonly nets: readonly Cidr[] | undefined;
}
interface Rule {
  readonly zones: readonly string[];
  readonly policies: readonly Policy[];
}

/** Extended DNS error (RFC 8914): 15 Blocked, 17 Filtered. */
const ede = (code: number): Edns => ({
  udp: 4096,
  do: true,
  version: 0,
  options: [{ code: 15, len: 2, text: code.toString(16).padStart(4, '0') }],
});

/** Blocks, filters or drops queries by client address and type (plugin/acl). */
class Acl implements Handler {
  readonly name = 'acl';
  constructor(
    private readonly rules: readonly Rule[],
    private readonly next: Handler | undefined,
  ) {}
  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    for (const rule of this.rules) {
      if (matchZones(rule.zones, qnameOf(r)) === '') continue;
      const action = this.match(rule.policies, w.peer.ip, qtypeOf(r));
      if (action === 'allow') break;
      if (action === 'drop') return OK;
      if (action === 'block' || action === 'filter') {
        const m = replyTo(r, action === 'block' ? 'REFUSED' : 'NOERROR');
        m.edns = ede(action === 'block' ? 15 : 17);
        w.write(m);
        return OK;
      }
    }
    return yield* nextOrFailure(qnameOf(r), this.next, ctx, w, r);
  }
  private match(policies: readonly Policy[], ip: string, type: string): Action | undefined {
    return policies.find((p) => (!p.types || p.types.has(type)) && (!p.nets || p.nets.some((n) => cidrContains(n, ip))))
      ?.action;
  }
}

const isSection = (t: string): boolean => t.toLowerCase() === 'type' || t.toLowerCase() === 'net';

function policy(c: Controller): Policy {
  const action = c.val().toLowerCase();
  if (action !== 'allow' && action !== 'block' && action !== 'filter' && action !== 'drop')
    throw c.err(`unexpected token ${JSON.stringify(c.val())}; expect 'allow', 'block', 'filter' or 'drop'`);
  let types: Set<string> | undefined;
  let nets: Cidr[] | undefined;
  let rest = c.remainingArgs();
  while (rest.length > 0) {
    const head = rest[0] as string;
    if (!isSection(head)) throw c.err(`unexpected token ${JSON.stringify(head)}; expect 'type | net'`);
    let end = rest.findIndex((t, i) => i > 0 && isSection(t));
    if (end < 0) end = rest.length;
    const tokens = rest.slice(1, end);
    rest = rest.slice(end);
    if (tokens.length === 0) throw c.err(`no token specified in ${JSON.stringify(head.toLowerCase())} section`);
    if (tokens.includes('*')) continue;
    if (head.toLowerCase() === 'type') {
      types = new Set(tokens);
      const bad = tokens.find((t) => TYPES[t] === undefined);
      if (bad !== undefined) throw c.err(`unexpected token ${JSON.stringify(bad)}; expect legal QTYPE`);
    } else {
      nets = tokens.map((t) => {
        const text = t.includes('/') ? t : `${t}/${t.includes(':') ? 128 : 32}`;
        const net = parseCidr(text);
        if (!net) throw c.err(`illegal CIDR notation ${JSON.stringify(text)}`);
        return net;
      });
    }
  }
  return { action, types, nets };
}

export const acl: PluginSpec = {
  name: 'acl',
  setup(c) {
    const rules: Rule[] = [];
    while (c.next()) {
      const zones = origins(c.remainingArgs(), c.keys);
      const policies: Policy[] = [];
      while (c.nextBlock()) policies.push(policy(c));
      rules.push({ zones, policies });
    }
    c.addPlugin((next) => new Acl(rules, next));
  },
};
