import { instant, sleep } from '../../tasks';
import { httpDate } from '../clock';
import { CorefileError } from '../corefile';
import { durationText, parseDuration } from '../duration';
import { HttpServer } from '../http';
import { logLine, type PluginSpec } from '../plugin';

/** Says at /health that the process lives, also while it goes away slowly (plugin/health). */
export const health: PluginSpec = {
  name: 'health',
  setup(c) {
    let addr = ':8080';
    let lameduckUs = 0;
    while (c.next()) {
      const args = c.remainingArgs();
      if (args.length > 1) throw c.argErr();
      if (args[0] !== undefined) {
        if (!args[0].includes(':')) throw new CorefileError(`address ${args[0]}: missing port in address`);
        addr = args[0];
      }
      while (c.nextBlock()) {
        if (c.val() !== 'lameduck') throw c.argErr();
        const a = c.remainingArgs();
        if (a.length !== 1) throw c.argErr();
        const us = parseDuration(a[0] as string);
        if (us === undefined)
          throw new CorefileError(
            `unable to parse lameduck duration value: '${a[0]}' : time: invalid duration ${JSON.stringify(a[0])}`,
          );
        lameduckUs = us;
      }
    }
    const { env } = c;
    let server: HttpServer | undefined;
    const start = (): string | undefined => {
      const date = (): string => httpDate(Math.floor(env.unixUs() / 1_000_000));
      server = new HttpServer(env.sys, env.tasks, addr, { '/health': () => ({ status: 200, body: 'OK' }) }, date);
      return server.error;
    };
    const stop = (): void => {
      server?.close();
      server = undefined;
    };
    c.hooks.startup.push(() => instant(start));
    c.hooks.restart.push(() => instant(stop));
    c.hooks.restartFailed.push(() => instant(() => void start()));
    c.hooks.finalShutdown.push(function* () {
      if (lameduckUs > 0) {
        logLine(env, 'INFO', 'health', `Going into lameduck mode for ${durationText(lameduckUs)}`);
        yield* sleep(lameduckUs);
      }
      stop();
    });
  },
};
