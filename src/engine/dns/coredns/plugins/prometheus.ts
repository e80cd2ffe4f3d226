import { rcodeNumber } from '../../message';
import { instant } from '../../tasks';
import { httpDate } from '../clock';
import { CorefileError } from '../corefile';
import { HttpServer } from '../http';
import { clientWrite, ERR_ONCE, nextOrFailure, type PluginSpec, qtypeOf, type Writer } from '../plugin';

const KNOWN = new Set('AAAA A CNAME DNSKEY DS MX NSEC3 NSEC NS PTR RRSIG SOA SRV TXT HTTPS ANY AXFR IXFR'.split(' '));

/** Counts queries and answers; shown at /metrics (plugin/metrics). */
export const prometheus: PluginSpec = {
  name: 'prometheus',
  setup(c) {
    let addr = 'localhost:9153';
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
      while (c.nextBlock()) c.remainingArgs();
    }
    const { env } = c;
    const zone = c.config.zone;
    const server = `server="dns://:${c.config.port}"`;
    c.addPlugin((next) => ({
      name: 'prometheus',
      *serve(ctx, w, r) {
        const type = KNOWN.has(qtypeOf(r)) ? qtypeOf(r) : 'other';
        const family = w.peer.ip.includes(':') ? 2 : 1;
        let rcode: string | undefined;
        const writer: Writer = {
          peer: w.peer,
          write: (m) => {
            rcode = m.rcode;
            w.write(m);
          },
        };
        const result = yield* nextOrFailure('prometheus', next, ctx, writer, r);
        if (!clientWrite(result.rcode)) rcode = result.rcode;
        env.counters.add(
          `coredns_dns_requests_total{family="${family}",proto="${w.peer.proto}",${server},type="${type}",view="",zone="${zone}"}`,
        );
        const text = rcode ?? String(rcodeNumber(result.rcode));
        env.counters.add(
          `coredns_dns_responses_total{plugin="errors",rcode="${text}",${server},view="",zone="${zone}"}`,
        );
        return result;
      },
    }));
    let http: HttpServer | undefined;
    const start = (): string | undefined => {
      const key = `prometheus ${addr}`;
      if (c.shared.has(key)) return undefined;
      const date = (): string => httpDate(Math.floor(env.unixUs() / 1_000_000));
      const body = (): string => `${env.counters.lines().join('\n')}\n`;
      const at = addr.replace(/^localhost:/, '127.0.0.1:');
      const route = (): { status: number; body: string; type: string } => ({
        status: 200,
        body: body(),
        type: 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
      });
      http = new HttpServer(env.sys, env.tasks, at, { '/metrics': route }, date);
      c.shared.set(key, http);
      return http.error;
    };
    const stop = (): void => {
      http?.close();
      http = undefined;
    };
    c.hooks.startup.push(() => instant(start));
    c.hooks.restart.push(() => instant(stop));
    c.hooks.restartFailed.push(() => instant(() => void start()));
    c.hooks.finalShutdown.push(() => instant(stop));
  },
};
