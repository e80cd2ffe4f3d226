import { apiDelete, apiPatch, apiPatchStatus } from './api';
import { conntrackFlush, fillConntrack } from './conntrack';
import type { Fault } from './fault';
import { iptablesFault } from './iptables';
import { bridgeHairpin, podLink } from './links';
import { processKill, processStart } from './processes';
import { kubeProxyFault } from './proxy';
import { addressAdd, addressDel, routeAddDefault, routeDel, routeDelDefault, routeReplace } from './routes';
import { sysctlFault } from './sysctl';

export type { Fault, FaultArgs } from './fault';

/** Everything that can be done to a world besides commands. */
export const FAULTS: readonly Fault[] = [
  sysctlFault,
  bridgeHairpin,
  podLink,
  processKill,
  processStart,
  routeReplace,
  routeDel,
  routeDelDefault,
  routeAddDefault,
  addressAdd,
  addressDel,
  iptablesFault,
  conntrackFlush,
  fillConntrack,
  kubeProxyFault,
  apiDelete,
  apiPatch,
  apiPatchStatus,
];
