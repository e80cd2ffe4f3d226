import type { DnsMsg } from '../../message';
import { isSubDomain, matchZones, trimZone } from '../../names';
import { instant } from '../../tasks';
import { CorefileError } from '../corefile';
import { origins } from '../normalize';
import {
  clientWrite,
  copyMsg,
  type Handler,
  NonWriter,
  nextOrFailure,
  type PluginSpec,
  qnameOf,
  type Serve,
  type ServeCtx,
  type ServeResult,
  type Writer,
} from '../plugin';
import { resolvConfSearch } from '../resolvconf';

/** Walks the client's search path on the server and answers with an alias to what was found (plugin/autopath). */
class AutoPath implements Handler {
  readonly name = 'autopath';
  search: ((w: Writer, r: DnsMsg) => string[]) | undefined;
  constructor(
    private readonly zones: readonly string[],
    private readonly fixed: readonly string[],
    private readonly next: Handler | undefined,
  ) {}

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const pass = (): Serve => nextOrFailure(this.name, this.next, ctx, w, r);
    if (matchZones(this.zones, qnameOf(r)) === '') return yield* pass();
    const path = this.search ? this.search(w, r) : this.fixed;
    const head = path[0];
    if (head === undefined || !isSubDomain(head, qnameOf(r))) return yield* pass();
    const original = r.question[0]?.name ?? '.';
    const base = trimZone(original, head);
    if (base === undefined) return { rcode: 'SERVFAIL', err: `trimzone: overshot qname: ${original}for zone ${head}` };
    let first: { msg: DnsMsg | undefined; result: ServeResult } | undefined;
    for (const s of path) {
      const q = copyMsg(r);
      const question = r.question[0];
      q.question = question ? [{ ...question, name: `${base}.${s}` }] : [];
      const nw = new NonWriter(w.peer);
      const result = yield* nextOrFailure(this.name, this.next, ctx, nw, q);
      if (result.err !== undefined) return result;
      first ??= { msg: nw.msg, result };
      if (!clientWrite(result.rcode) || !nw.msg || nw.msg.rcode === 'NXDOMAIN') continue;
      w.write(aliased(nw.msg, original));
      return result;
    }
    if (first?.msg && clientWrite(first.result.rcode)) w.write(first.msg);
    return first?.result ?? { rcode: 'SERVFAIL' };
  }
}

/** Puts the asked name back: an alias from it to the owner of the first record that has another name. */
function aliased(msg: DnsMsg, original: string): DnsMsg {
  const m = copyMsg(msg);
  const other = m.answer.find((r) => r.name.toLowerCase() !== original.toLowerCase());
  if (other)
    m.answer = [{ name: original, ttl: other.ttl, class: 'IN', type: 'CNAME', rdata: other.name }, ...m.answer];
  const q = m.question[0];
  if (q) m.question = [{ ...q, name: original }];
  return m;
}

export const autopath: PluginSpec = {
  name: 'autopath',
  setup(c) {
    let zones: string[] = [];
    let plugin = '';
    let fixed: string[] = [];
    while (c.next()) {
      const args = c.remainingArgs();
      const source = args.pop();
      if (source === undefined) throw new CorefileError('no resolv-conf specified');
      if (source.startsWith('@')) plugin = source.slice(1);
      else {
        const text = c.env.sys.readFile(source);
        if (text === undefined)
          throw new CorefileError(
            `failed to parse ${JSON.stringify(source)}: open ${source}: no such file or directory`,
          );
        fixed = [...resolvConfSearch(text), ''];
      }
      zones = origins(args, c.keys);
    }
    let handler: AutoPath | undefined;
    c.addPlugin((next) => {
      handler = new AutoPath(zones, fixed, next);
      return handler;
    });
    const { registry } = c.config;
    c.hooks.startup.push(() =>
      instant(() => {
        const source = registry.get(plugin);
        if (plugin === '' || !source) return undefined;
        if (!source.autoPath) return `plugin/autopath: ${plugin} does not implement the AutoPather interface`;
        if (handler) handler.search = (w, r) => source.autoPath?.(w, r) ?? [];
        return undefined;
      }),
    );
  },
};
