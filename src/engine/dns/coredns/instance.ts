import type { Task } from '../tasks';
import { CorefileError, parseCorefile, type ServerBlock } from './corefile';
import { normalName, splitHostPort, splitTransport, TRANSPORT_PORTS } from './normalize';
import { type Config, Controller, type Hooks, type ProcessEnv } from './plugin';
import { DIRECTIVES, PLUGINS } from './plugins';
import { Server } from './server';

/** What the process answers with when the Corefile is empty. */
const DEFAULT_COREFILE = '.:53 {\nwhoami\nlog\n}\n';

/** One running configuration: its servers and what its plugins do at start and stop (a caddy Instance). */
export interface Instance {
  readonly corefile: string;
  readonly blocks: readonly ServerBlock[];
  readonly servers: readonly Server[];
  readonly hooks: Hooks;
  readonly shared: Map<string, unknown>;
}

/** Reads a Corefile and sets all plugins up; throws CorefileError with what CoreDNS prints. */
export function buildInstance(corefile: string, filename: string, env: ProcessEnv): Instance {
  const corefileEnv = { readFile: (p: string) => env.sys.readFile(p), getenv: (n: string) => env.getenv(n) };
  const read = (text: string, name: string): ServerBlock[] =>
    parseCorefile(text, name, DIRECTIVES, corefileEnv, (l) => env.log(l));
  let blocks = read(corefile, filename);
  if (blocks.length === 0) blocks = read(DEFAULT_COREFILE, 'Corefile');
  const hooks: Hooks = { startup: [], shutdown: [], finalShutdown: [], restart: [], restartFailed: [] };
  const shared = new Map<string, unknown>();
  const configs: Config[][] = blocks.map((b) => blockConfigs(b));
  for (const dir of DIRECTIVES) {
    blocks.forEach((b, i) => {
      const tokens = b.tokens.get(dir);
      const config = configs[i]?.[0];
      if (!tokens || !config) return;
      const spec = PLUGINS.find((p) => p.name === dir);
      if (!spec) throw new CorefileError(`plugin/${dir}: not part of this model (line ${tokens[0]?.line})`);
      const c = new Controller(
        filename,
        tokens.map((t) => ({ ...t })),
        b,
        config,
        env,
        hooks,
        shared,
      );
      try {
        spec.setup(c);
      } catch (e) {
        if (e instanceof CorefileError) throw new CorefileError(`plugin/${dir}: ${e.message}`);
        throw e;
      }
    });
  }
  return { corefile, blocks, servers: makeServers(configs.flat()), hooks, shared };
}

/** The zones of a block's keys; reverse networks become zones and the keys are written back in full. */
function blockConfigs(block: ServerBlock): Config[] {
  const zones: { zone: string; port: number; transport: string }[] = [];
  for (const key of [...block.keys]) {
    const { transport, host } = splitTransport(key);
    try {
      const { hosts, port } = splitHostPort(host);
      const number = port === '' ? (TRANSPORT_PORTS[transport] as number) : Number(port);
      for (const h of hosts) zones.push({ zone: normalName(h), port: number, transport });
    } catch (e) {
      if (e instanceof CorefileError) throw new CorefileError(`error inspecting server blocks: ${e.message}`);
      throw e;
    }
  }
  block.keys = zones.map((z) => `${z.transport}://${z.zone}:${z.port}`);
  const out: Config[] = [];
  for (const z of zones) {
    const first: Config | undefined = out[0];
    out.push({
      ...z,
      listenHosts: [''],
      plugins: first ? first.plugins : [],
      registry: first ? first.registry : new Map(),
      first,
      debug: false,
    });
  }
  return out;
}

function makeServers(configs: readonly Config[]): Server[] {
  const seen = new Map<string, Config>();
  const groups = new Map<string, { host: string; port: number; configs: Config[] }>();
  for (const c of configs) {
    const hosts = c.first ? c.first.listenHosts : c.listenHosts;
    for (const host of hosts) {
      const name = `${c.transport}://${c.zone}:${c.port}`;
      const on = host === '' ? '' : ` on ${host}`;
      if (seen.has(name + on)) throw new CorefileError(`cannot serve ${name}${on} - it is already defined`);
      const other = [...seen.keys()].find((k) => k === name || (host === '' && k.startsWith(`${name} on `)));
      if (other !== undefined)
        throw new CorefileError(`cannot serve ${name}${on} - zone overlap listener capacity with ${other}`);
      seen.set(name + on, c);
      const key = `${c.transport}://${host}:${c.port}`;
      const g = groups.get(key) ?? { host, port: c.port, configs: [] };
      g.configs.push(c);
      groups.set(key, g);
    }
  }
  return [...groups.values()].map((g) => new Server({ host: g.host, port: g.port }, g.configs));
}

/** Runs the start-up callbacks; an error text ends the start. */
export function* runStartup(i: Instance): Task<string | undefined> {
  for (const fn of i.hooks.startup) {
    const error = yield* fn();
    if (error !== undefined) return error;
  }
  return undefined;
}

/** The JSON of the parsed blocks, whose SHA-512 the reload plugin prints. */
export function blocksJson(blocks: readonly ServerBlock[]): string {
  const quote = (s: string): string =>
    JSON.stringify(s).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const token = (t: { file: string; line: number; text: string }): string =>
    `{"File":${quote(t.file)},"Line":${t.line},"Text":${quote(t.text)}}`;
  const block = (b: ServerBlock): string => {
    const keys = b.keys.map(quote).join(',');
    const dirs = [...b.tokens.keys()]
      .sort()
      .map((d) => `${quote(d)}:[${(b.tokens.get(d) ?? []).map(token).join(',')}]`);
    return `{"Keys":[${keys}],"Tokens":{${dirs.join(',')}}}`;
  };
  return `[${blocks.map(block).join(',')}]`;
}
