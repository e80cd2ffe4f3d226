import { CorefileError } from '../corefile';
import { ERR_ONCE, type PluginSpec } from '../plugin';

/** Lets panics through and turns debug lines on (plugin/debug). */
export const debug: PluginSpec = {
  name: 'debug',
  setup(c) {
    let seen = false;
    while (c.next()) {
      if (seen) throw new CorefileError(ERR_ONCE);
      seen = true;
      if (c.remainingArgs().length > 0) throw c.argErr();
      c.config.debug = true;
    }
  },
};
