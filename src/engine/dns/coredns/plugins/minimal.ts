import { NonWriter, nextOrFailure, OK, type PluginSpec } from '../plugin';
import { classify, typify } from '../respond';

/** Leaves authority and additional records away where the answer does not need them (plugin/minimal). */
export const minimal: PluginSpec = {
  name: 'minimal',
  setup(c) {
    c.next();
    if (c.nextArg()) throw c.argErr();
    c.addPlugin((next) => ({
      name: 'minimal',
      *serve(ctx, w, r) {
        const nw = new NonWriter(w.peer);
        const result = yield* nextOrFailure('minimal', next, ctx, nw, r);
        const m = nw.msg;
        if (result.err !== undefined || !m) return result;
        const type = typify(m);
        if (classify(type) !== 'success' || type === 'DELEGATION') w.write(m);
        else w.write({ ...m, authority: [], additional: [] });
        return OK;
      },
    }));
  },
};
