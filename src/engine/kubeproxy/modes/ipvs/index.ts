import type { Json } from '../../../base/json';
import { err, ok, type Result } from '../../../base/result';
import type { CommitEnv, Prepared, ProxyMode, SyncEnv } from '../../mode';
import { ensureRules, type Jump } from '../iptables/jumps';
import { type Compiled, compileIpvs } from './compile';
import { DEFAULT_TIMEOUTS, IPVS, type IpvsState } from './model';
import { createArgs, SETS, type SetName, setName } from './sets';
import { ipvsRestoreText } from './text';

const PORTALS = 'kubernetes service portals';
const FIREWALL = 'kube-proxy firewall rules';
const ACCESS = 'kubernetes ipvs access filter';

/** Jumps in the order in which they are made sure of; each is put first in its chain. */
const JUMPS: readonly Jump[] = [
  { table: 'nat', to: 'KUBE-SERVICES', from: 'OUTPUT', comment: PORTALS },
  { table: 'nat', to: 'KUBE-SERVICES', from: 'PREROUTING', comment: PORTALS },
  { table: 'nat', to: 'KUBE-POSTROUTING', from: 'POSTROUTING', comment: 'kubernetes postrouting rules' },
  { table: 'filter', to: 'KUBE-FORWARD', from: 'FORWARD', comment: 'kubernetes forwarding rules' },
  { table: 'filter', to: 'KUBE-NODE-PORT', from: 'INPUT', comment: 'kubernetes health check rules' },
  { table: 'filter', to: 'KUBE-PROXY-FIREWALL', from: 'INPUT', comment: FIREWALL },
  { table: 'filter', to: 'KUBE-PROXY-FIREWALL', from: 'FORWARD', comment: FIREWALL },
  { table: 'filter', to: 'KUBE-IPVS-FILTER', from: 'INPUT', comment: ACCESS },
  { table: 'filter', to: 'KUBE-IPVS-OUT-FILTER', from: 'OUTPUT', comment: ACCESS },
];

interface Write {
  readonly text: string;
  readonly compiled: Compiled;
  readonly state: IpvsState;
}

const seconds = (us: number, otherwise: number): number => (us === 0 ? otherwise : us / 1_000_000);

function prepare(env: SyncEnv): Result<Prepared> {
  if (!env.ipset) return err('error getting ipset version, error: executable file not found in $PATH');
  const compiled = compileIpvs(env);
  const old = env.ctx.world.map(IPVS).get(key(env))?.timeouts ?? DEFAULT_TIMEOUTS;
  const want = env.config.ipvsTimeoutsUs;
  const state: IpvsState = {
    node: env.node,
    servers: compiled.servers,
    addresses: compiled.addresses,
    timeouts: {
      tcp: seconds(want.tcp, old.tcp),
      tcpFin: seconds(want.tcpFin, old.tcpFin),
      udp: seconds(want.udp, old.udp),
    },
  };
  const write: Write = { text: ipvsRestoreText(env, compiled), compiled, state };
  return ok({
    write: write as unknown as Json,
    figures: [
      ['numServices', env.view.ports.length],
      ['numEndpoints', env.view.numEndpoints],
    ],
  });
}

const key = (env: Pick<CommitEnv, 'node' | 'family'>): string => `${env.node}/${env.family}`;

/** Sets first, then rules, then virtual servers and their addresses. */
function commit(env: CommitEnv, write: Json): Result<null> {
  const { text, compiled, state } = write as unknown as Write;
  const problem = syncSets(env, compiled);
  if (problem !== undefined) return err(problem);
  if (!ensureRules(env.door, env.netns, env.family, JUMPS)) return err('Failed to ensure chain jumps');
  const done = env.door.restore(env.netns, text, {
    noflush: true,
    counters: true,
    family: env.family,
    by: 'kube-proxy',
  });
  if (!done.ok) return err(`exit status 1: line ${done.line}: ${done.message}`);
  env.ctx.world.map(IPVS).set(key(env), state);
  return ok(null);
}

function syncSets(env: CommitEnv, c: Compiled): string | undefined {
  const ipset = env.ipset;
  if (!ipset) return 'ipset is missing';
  for (const [k, spec] of Object.entries(SETS) as [SetName, (typeof SETS)[SetName]][]) {
    const name = setName(spec, env.family);
    const made = ipset(createArgs(spec, env.family));
    if (made.exit !== 0) return made.stderr.trim();
    const have = ipset(['save', name])
      .stdout.split('\n')
      .filter((l) => l.startsWith(`add ${name} `))
      .map((l) => l.slice(`add ${name} `.length));
    const want = c.sets[k];
    for (const e of have) if (!want.includes(e)) ipset(['del', name, e]);
    for (const e of want) {
      if (have.includes(e)) continue;
      const added = ipset(['add', name, e, '-exist']);
      if (added.exit !== 0) return added.stderr.trim();
    }
  }
  return undefined;
}

export const ipvsMode: ProxyMode = {
  name: 'ipvs',
  word: 'ipvs',
  prepare,
  commit,
  ruleCount: (env) => env.door.ruleCount(env.ctx.world, env.netns),
};
