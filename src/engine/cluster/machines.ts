import { assert } from '../base';
import type { Net } from '../net';
import type { MachineSpec } from './spec';

/** Makes the namespaces and links of the machines; routes and neighbours come last, when all devices exist. */
export function buildMachines(net: Net, machines: readonly MachineSpec[]): void {
  for (const m of machines)
    net.addNamespace({ id: m.id, node: m.node, kind: m.kind, init: m.init }, { loUp: m.loUp ?? true });
  for (const m of machines) {
    for (const l of m.links) addLink(net, m.id, l);
    setSysctls(net, m);
  }
  for (const m of machines) addRoutes(net, m);
}

/** One more machine (a pod that comes to life later). */
export function addMachine(net: Net, m: MachineSpec): void {
  buildMachines(net, [m]);
}

function addLink(net: Net, netns: string, l: MachineSpec['links'][number]): void {
  const { veth, ...dev } = l;
  if (!veth) {
    net.links.addDevice(netns, dev);
    return;
  }
  const { netns: other, ...end } = veth;
  const { kind: _, peer: __, ...own } = dev;
  net.links.addVeth({ netns, ...own }, { netns: other, ...end });
}

function setSysctls(net: Net, m: MachineSpec): void {
  for (const [key, value] of Object.entries(m.sysctls ?? {})) {
    const r = net.setSysctl(m.id, key, value);
    assert(r.ok, `sysctl ${key}=${value} of ${m.id}: ${r.ok ? '' : r.error}`);
  }
}

function addRoutes(net: Net, m: MachineSpec): void {
  for (const r of m.routes ?? []) {
    const done = net.links.addRoute(m.id, r);
    assert(done.ok, `route ${r.dst} of ${m.id}: ${done.ok ? '' : done.error}`);
  }
  for (const n of m.neighbours ?? []) net.links.setNeigh(`${m.id}:${n.dev}`, n.ip, n.mac);
}
