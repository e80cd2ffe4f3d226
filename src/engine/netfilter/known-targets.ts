import { dnat } from './targets/dnat';
import { mark } from './targets/mark';
import { masquerade } from './targets/masquerade';
import { reject } from './targets/reject';
import type { AnyTarget } from './xt';

/** The targets that kube-proxy's rules use. The others are provided with the tools that can load any rule (./tool). */
const OWN: readonly AnyTarget[] = [dnat, mark, masquerade, reject];

const byName = new Map(OWN.map((m) => [m.name, m]));

export function provideTargets(all: readonly AnyTarget[]): void {
  for (const m of all) byName.set(m.name, m);
}

export const findTarget = (name: string): AnyTarget | undefined => byName.get(name);

/** Names of real targets that the model does not carry out: a rule with one loads, marked unsupported. */
export const KNOWN_TARGETS: readonly string[] = [
  'CHECKSUM',
  'CLASSIFY',
  'CLUSTERIP',
  'CONNSECMARK',
  'ECN',
  'HMARK',
  'IDLETIMER',
  'LED',
  'RATEEST',
  'SECMARK',
  'SYNPROXY',
  'TCPOPTSTRIP',
  'TEE',
  'TOS',
  'TPROXY',
];
