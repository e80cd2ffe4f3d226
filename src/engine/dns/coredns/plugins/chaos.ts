import { type RR, replyTo } from '../../message';
import { nextOrFailure, OK, type PluginSpec, qnameOf, qtypeOf } from '../plugin';

/** Answers version.bind and the like in class CH (plugin/chaos). */
export const chaos: PluginSpec = {
  name: 'chaos',
  setup(c) {
    let version = 'CoreDNS-1.14.7';
    let authors: string[] = [];
    while (c.next()) {
      const args = c.remainingArgs();
      if (args[0] !== undefined) version = args[0];
      authors = args.slice(1);
    }
    c.addPlugin((next) => ({
      name: 'chaos',
      *serve(ctx, w, r) {
        const q = r.question[0];
        if (q?.class !== 'CH' || qtypeOf(r) !== 'TXT') return yield* nextOrFailure('chaos', next, ctx, w, r);
        const txt = (text: string): RR => ({
          name: q.name,
          ttl: 0,
          class: 'CH',
          type: 'TXT',
          rdata: JSON.stringify(text),
        });
        const m = replyTo(r);
        switch (qnameOf(r)) {
          case 'authors.bind.':
            m.answer = authors.map(txt);
            break;
          case 'version.bind.':
          case 'version.server.':
            m.answer = [txt(version)];
            break;
          case 'hostname.bind.':
          case 'id.server.':
            m.answer = [txt('localhost')];
            break;
          default:
            return yield* nextOrFailure('chaos', next, ctx, w, r);
        }
        w.write(m);
        return OK;
      },
    }));
  },
};
