import { type RR, replyTo } from '../../message';
import { joinLabels } from '../../names';
import { nextOrFailure, OK, type PluginSpec, qnameOf, qtypeOf, soaRecord } from '../plugin';

const ZONES = ['localhost.', '0.in-addr.arpa.', '127.in-addr.arpa.', '255.in-addr.arpa.'];

/** Answers for localhost and its reverse zones at once (plugin/local). */
export const local: PluginSpec = {
  name: 'local',
  setup(c) {
    c.addPlugin((next) => ({
      name: 'local',
      *serve(ctx, w, r) {
        const name = qnameOf(r);
        const type = qtypeOf(r);
        const zone = ZONES.find((z) => name === z || name.endsWith(`.${z}`));
        const reverse = name === '1.0.0.127.in-addr.arpa.';
        const search = name.startsWith('localhost.') && name !== 'localhost.';
        if (!zone && !search) return yield* nextOrFailure('local', next, ctx, w, r);
        const rr = (t: string, rdata: string): RR => ({
          name: r.question[0]?.name ?? '.',
          ttl: 3600,
          class: 'IN',
          type: t,
          rdata,
        });
        const m = replyTo(r);
        if (type === 'A' && (name === 'localhost.' || search)) m.answer = [rr('A', '127.0.0.1')];
        else if (type === 'AAAA' && (name === 'localhost.' || search)) m.answer = [rr('AAAA', '::1')];
        else if (type === 'PTR' && reverse) m.answer = [rr('PTR', 'localhost.')];
        else if (type === 'SOA' && zone) m.answer = [soaRecord(zone, 1, 3600)];
        else if (type === 'NS' && zone) m.answer = [rr('NS', joinLabels('localhost', '.'))];
        else m.authority = [soaRecord(zone ?? name, 1, 3600)];
        w.write(m);
        return OK;
      },
    }));
  },
};
