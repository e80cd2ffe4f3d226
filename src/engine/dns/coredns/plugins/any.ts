import { replyTo } from '../../message';
import { type Handler, nextOrFailure, OK, type PluginSpec, qtypeOf } from '../plugin';

/** Answers ANY with one HINFO record (RFC 8482, plugin/any). */
export const any: PluginSpec = {
  name: 'any',
  setup(c) {
    c.addPlugin(
      (next): Handler => ({
        name: 'any',
        *serve(ctx, w, r) {
          if (qtypeOf(r) !== 'ANY') return yield* nextOrFailure('any', next, ctx, w, r);
          const m = replyTo(r);
          const rdata = '"ANY obsoleted" "See RFC 8482"';
          m.answer = [{ name: r.question[0]?.name ?? '.', ttl: 8482, class: 'IN', type: 'HINFO', rdata }];
          w.write(m);
          return OK;
        },
      }),
    );
  },
};
