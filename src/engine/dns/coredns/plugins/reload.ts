import { CorefileError } from '../corefile';
import { durationText, parseDuration } from '../duration';
import type { PluginSpec } from '../plugin';

const DEFAULT = { intervalUs: 30_000_000, jitterUs: 15_000_000 };
const MIN = { intervalUs: 2_000_000, jitterUs: 1_000_000 };

/** Looks at the Corefile from time to time and starts anew when it changed (plugin/reload). */
export const reload: PluginSpec = {
  name: 'reload',
  setup(c) {
    c.next();
    const args = c.remainingArgs();
    if (args.length > 2) throw c.argErr();
    const read = (text: string | undefined, otherwise: number): number => {
      if (text === undefined) return otherwise;
      const us = parseDuration(text);
      if (us === undefined) throw new CorefileError(`time: invalid duration ${JSON.stringify(text)}`);
      return us;
    };
    let interval = read(args[0], DEFAULT.intervalUs);
    if (interval < MIN.intervalUs)
      throw new CorefileError(`interval value must be greater or equal to ${durationText(MIN.intervalUs)}`);
    let jitter = read(args[1], DEFAULT.jitterUs);
    if (jitter !== 0 && jitter < MIN.jitterUs)
      throw new CorefileError(`jitter value must be 0 or greater or equal to ${durationText(MIN.jitterUs)}`);
    if (jitter > 0 && jitter > interval / 2) jitter = Math.trunc(interval / 2);
    if (jitter > 0) interval += c.env.prng.below(jitter) - Math.trunc(jitter / 2);
    c.shared.set('reload', interval);
  },
};
