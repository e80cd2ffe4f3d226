import { instant } from '../../tasks';
import { httpDate } from '../clock';
import { CorefileError } from '../corefile';
import { HttpServer } from '../http';
import { ERR_ONCE, type Handler, logLine, type PluginSpec } from '../plugin';

/** Says at /ready whether all plugins that know have got ready once (plugin/ready). */
export const ready: PluginSpec = {
  name: 'ready',
  setup(c) {
    let addr = ':8181';
    let continuously = false;
    let seen = false;
    while (c.next()) {
      if (seen) throw new CorefileError(ERR_ONCE);
      seen = true;
      const args = c.remainingArgs();
      if (args.length > 1) throw c.argErr();
      if (args[0] !== undefined) {
        if (!args[0].includes(':')) throw new CorefileError(`address ${args[0]}: missing port in address`);
        addr = args[0];
      }
      while (c.nextBlock()) {
        if (c.val() !== 'monitor') throw c.err(`unknown property '${c.val()}'`);
        const a = c.remainingArgs();
        if (a.length !== 1) throw c.argErr();
        if (a[0] !== 'until-ready' && a[0] !== 'continuously') throw c.err(`monitor type '${a[0]}' not supported`);
        continuously = a[0] === 'continuously';
      }
    }
    const { env } = c;
    const { registry } = c.config;
    const shared = (c.shared.get('ready') as Map<string, Handler> | undefined) ?? new Map<string, Handler>();
    c.shared.set('ready', shared);
    const wasReady = new Set<string>();
    const answer = (): { status: number; body: string } => {
      const waiting: string[] = [];
      for (const [name, h] of shared) {
        if (wasReady.has(name)) continue;
        if (!h.ready?.()) waiting.push(name);
        else if (!continuously) wasReady.add(name);
      }
      if (waiting.length === 0) return { status: 200, body: 'OK' };
      const names = waiting.sort().join(',');
      logLine(env, 'INFO', 'ready', `Plugins not ready: ${JSON.stringify(names)}`);
      return { status: 503, body: names };
    };
    let server: HttpServer | undefined;
    const start = (): string | undefined => {
      const date = (): string => httpDate(Math.floor(env.unixUs() / 1_000_000));
      if (!c.shared.has(`ready ${addr}`)) {
        server = new HttpServer(env.sys, env.tasks, addr, { '/ready': answer }, date);
        c.shared.set(`ready ${addr}`, server);
      }
      for (const h of registry.values()) if (h.ready) shared.set(h.name, h);
      return server?.error;
    };
    const stop = (): void => {
      server?.close();
      server = undefined;
      c.shared.delete(`ready ${addr}`);
    };
    c.hooks.startup.push(() => instant(start));
    c.hooks.restart.push(() => instant(stop));
    c.hooks.restartFailed.push(() => instant(() => void start()));
    c.hooks.finalShutdown.push(() => instant(stop));
  },
};
