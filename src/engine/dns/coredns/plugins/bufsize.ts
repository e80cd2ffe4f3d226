import { CorefileError } from '../corefile';
import { atoi } from '../duration';
import { nextOrFailure, type PluginSpec } from '../plugin';

/** Caps the UDP size that a client advertises, against fragments (plugin/bufsize). */
export const bufsize: PluginSpec = {
  name: 'bufsize',
  setup(c) {
    let size = 1232;
    c.next();
    const args = c.remainingArgs();
    const n = args[0] === undefined ? size : atoi(args[0]);
    if (args.length > 1 || typeof n === 'string' || n < 512 || n > 4096)
      throw new CorefileError(`plugin/bufsize: ${c.argErr().message}`);
    size = n;
    c.addPlugin((next) => ({
      name: 'bufsize',
      *serve(ctx, w, r) {
        // The query's own record is changed, so that everything above sees the cap as well.
        if (r.edns && r.edns.udp > size) r.edns = { ...r.edns, udp: size };
        return yield* nextOrFailure('bufsize', next, ctx, w, r);
      },
    }));
  },
};
