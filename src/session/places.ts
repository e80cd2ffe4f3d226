import type { WorldReader } from '../engine/base';
import { type Cluster, podFiles, podNetns, toolsOf } from '../engine/cluster';
import { getObject, type Pod } from '../engine/k8s';
import { NETNS } from '../engine/net';
import { defaultKubeconfig } from '../shell/kube/cli/config';
import type { ImageName, Kernel, Place } from '../shell/place';
import type { PlaceRef } from './protocol';

/** Boot of every machine: the beginning of simulated time. */
const BOOT_US = 0;

const KERNEL: Kernel = {
  release: '6.18.44',
  version: '#1 SMP PREEMPT_DYNAMIC',
  modules: undefined,
  available: [],
  bootUs: BOOT_US,
};

function workstationFiles(cluster: Cluster): Record<string, string> {
  const cp = cluster.spec.controlPlane;
  return cp ? { '/root/.kube/config': defaultKubeconfig(`https://${cp.apiServer.ip}:${cp.apiServer.port}`) } : {};
}

/** Looks a place up in the world at a reader's cursor; undefined when it does not exist there. */
export function placeOf(cluster: Cluster, reader: WorldReader, ref: PlaceRef): Place | undefined {
  const { linkTypes } = cluster.spec.versions;
  const kernel = linkTypes === undefined ? KERNEL : { ...KERNEL, linkTypes };
  const base = { ref, packages: 'debian12' as const, kernel };
  switch (ref.kind) {
    case 'workstation':
      return {
        ...base,
        netns: undefined,
        machine: 'workstation',
        hostname: 'workstation',
        image: 'workstation',
        files: workstationFiles(cluster),
      };
    case 'node':
    case 'machine': {
      const spec = cluster.spec.machines.find((m) => m.id === ref.name && m.kind !== 'pod');
      if (!spec) return undefined;
      return {
        ...base,
        netns: spec.id,
        machine: spec.node,
        hostname: spec.hostname,
        image: (spec.image ?? 'machine') as ImageName,
        packages: spec.packages ?? 'debian12',
        readOnlySys: spec.readOnlySys ?? false,
        applets: spec.applets ?? [],
        ...(ref.kind === 'node'
          ? { extra: ['crictl'], runtime: 'unix:///run/containerd/containerd.sock' }
          : { extra: spec.extra ?? [] }),
        namelessNetns: spec.namelessNetns ?? false,
        files: { '/etc/hosts': `127.0.0.1\tlocalhost\n127.0.1.1\t${spec.hostname}\n`, ...spec.files },
      };
    }
    case 'pod': {
      const pod = getObject(reader, 'Pod', ref.namespace, ref.name) as Pod | undefined;
      if (pod) {
        const netns = podNetns(pod.spec.nodeName ?? '', ref.namespace, ref.name);
        if (!reader.map(NETNS).has(netns)) return undefined;
        return {
          ...base,
          netns,
          machine: pod.spec.nodeName ?? '',
          hostname: ref.name,
          image: toolsOf(pod),
          readOnlySys: true,
          files: podFiles(cluster, netns),
        };
      }
      // Pods of the recording lab have no object: they are found by the name of their namespace.
      const spec = cluster.spec.machines.find(
        (m) => m.kind === 'pod' && (m.hostname === ref.name || m.id === ref.name),
      );
      if (!spec) return undefined;
      return {
        ...base,
        netns: spec.id,
        machine: spec.node,
        hostname: spec.hostname,
        image: 'nettools',
        files: spec.files ?? {},
      };
    }
  }
}
