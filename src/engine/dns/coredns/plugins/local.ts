import { type DnsMsg, type RR, replyTo } from '../../message';
import { nextOrFailure, OK, type PluginSpec, qnameOf, qtypeOf } from '../plugin';

const ZONES = ['localhost.', '0.in-addr.arpa.', '127.in-addr.arpa.', '255.in-addr.arpa.'];
/** A week, in seconds. */
const TTL = 604_800;

const rr = (name: string, type: string, rdata: string): RR => ({ name, ttl: TTL, class: 'IN', type, rdata });
const soa = (zone: string): RR => rr(zone, 'SOA', `localhost. root.localhost. 1 0 0 0 ${TTL}`);

/** Answers for localhost, names below it (or with it in front) and its reverse zones at once (plugin/local). */
export const local: PluginSpec = {
  name: 'local',
  setup(c) {
    let prefix = true;
    while (c.next()) {
      if (c.remainingArgs().length > 0) throw c.argErr();
      while (c.nextBlock()) {
        if (c.val() !== 'localhost_prefix') throw c.err(`unknown property '${c.val()}'`);
        const [word, more] = c.remainingArgs();
        if (word === undefined || more !== undefined) throw c.argErr();
        if (word !== 'on' && word !== 'off')
          throw c.err(`localhost_prefix expects 'on' or 'off', got ${JSON.stringify(word)}`);
        prefix = word === 'on';
      }
    }
    c.addPlugin((next) => ({
      name: 'local',
      *serve(ctx, w, r) {
        const name = qnameOf(r);
        const type = qtypeOf(r);
        const given = r.question[0]?.name ?? '.';
        const below =
          name.endsWith('.localhost.') || (prefix && name !== 'localhost.' && name.startsWith('localhost.'));
        const zone = ZONES.find((z) => name === z || name.endsWith(`.${z}`));
        if (!below && zone === undefined) return yield* nextOrFailure('local', next, ctx, w, r);
        const m = replyTo(r);
        if (below || name === 'localhost.') host(m, given, type, !below);
        else if (name === zone) apex(m, given, type);
        else if (name === '1.0.0.127.in-addr.arpa.') {
          if (type === 'PTR') m.answer = [rr(given, 'PTR', 'localhost.')];
          else m.authority = [soa(zone ?? '.')];
        } else {
          m.authority = [soa(zone ?? '.')];
          m.rcode = 'NXDOMAIN';
        }
        w.write(m);
        return OK;
      },
    }));
  },
};

function host(m: DnsMsg, name: string, type: string, isApex: boolean): void {
  if (type === 'A') m.answer = [rr(name, 'A', '127.0.0.1')];
  else if (type === 'AAAA') m.answer = [rr(name, 'AAAA', '::1')];
  else if (isApex) apex(m, name, type);
  else m.authority = [soa(name)];
}

function apex(m: DnsMsg, name: string, type: string): void {
  if (type === 'SOA') m.answer = [soa(name)];
  else if (type === 'NS') m.answer = [rr(name, 'NS', 'localhost.')];
  else m.authority = [soa(name)];
}
