import type { Ctx } from '../../trace/context';
import { getObject, listObjects } from '../api/objects';
import type { ApiServer } from '../api/server';
import { timestamp } from '../time';
import type { Pod, PodCondition } from '../types';
import type { Controller } from './queue';

/** What the kubelet stand-in asks of the world below it. */
export interface KubeletDoor {
  /** Makes the pod's network namespace and returns its addresses; undefined: not possible now, ask again. */
  addPod(pod: Pod): { readonly podIPs: readonly string[]; readonly hostIP: string } | undefined;
  /** Starts the pod's programs, once it has its addresses. */
  startPod?(pod: Pod): void;
  /** SIGTERM to the pod's programs: it terminates. */
  stopPod?(pod: Pod): void;
  /** The pod is gone from the API: take its namespace away. */
  removePod(pod: Pod): void;
  /** From the start of the containers to readiness, us; undefined: never ready by itself. */
  readyAfterUs?(pod: Pod): number | undefined;
  /** From SIGTERM to the end of the programs, us. */
  stopAfterUs?(pod: Pod): number;
}

const SANDBOX_US = 400_000;
const START_US = 300_000;
const READY_US = 500_000;
const STOP_US = 1_000_000;
const RETRY_US = 1_000_000;

const keyOf = (pod: Pod): string => `${pod.metadata.namespace}/${pod.metadata.name}`;

const T = { start: 'kubelet.start', ready: 'kubelet.ready', stop: 'kubelet.stop' } as const;

/** Picks a node for pods that name none: the one with the fewest pods, by name where equal. */
export function schedulerController(api: ApiServer, delayUs: number): Controller {
  return {
    name: 'scheduler',
    delayUs,
    sync(key) {
      const [namespace = '', name = ''] = key.split('/');
      const { world } = api.ctx;
      const pod = getObject(world, 'Pod', namespace, name);
      if (!pod || pod.spec.nodeName) return false;
      const nodes = listObjects(world, 'Node').filter((n) => {
        const wanted = Object.entries(pod.spec.nodeSelector ?? {});
        return !n.spec?.unschedulable && wanted.every(([k, v]) => n.metadata.labels?.[k] === v);
      });
      const load = (node: string): number =>
        listObjects(world, 'Pod').filter((p) => p.spec.nodeName === node && !p.metadata.deletionTimestamp).length;
      const best = nodes
        .map((n) => ({ name: n.metadata.name, load: load(n.metadata.name) }))
        .reduce<{ name: string; load: number } | undefined>((a, b) => (!a || b.load < a.load ? b : a), undefined);
      if (!best) return false;
      return api.bindPod(namespace, name, best.name, this.name);
    },
  };
}

/** The kubelet stand-in of all nodes: sandbox, start, readiness, graceful end. */
export class Kubelet {
  constructor(
    private readonly ctx: Ctx,
    private readonly api: ApiServer,
    private readonly door: KubeletDoor,
  ) {
    ctx.sim.on<{ key: string; uid: string }>('kubelet.sandbox', (p) => this.sandbox(p));
    ctx.sim.on<{ key: string; uid: string }>(T.start, (p) => this.started(p));
    ctx.sim.on<{ key: string; uid: string }>(T.ready, (p) => this.ready(p));
    ctx.sim.on<{ key: string; uid: string }>(T.stop, (p) => this.stopped(p));
    api.watch({
      name: 'kubelet',
      kinds: ['Pod'],
      delayUs: 3_000,
      onEvent: ({ type, object }) => this.notice(type, object as Pod),
    });
  }

  private notice(type: string, pod: Pod): void {
    if (type === 'DELETED') {
      this.door.removePod(pod);
      return;
    }
    if (!pod.spec.nodeName) return;
    const now = this.find({ key: keyOf(pod), uid: pod.metadata.uid ?? '' });
    if (!now) return;
    const due = { key: keyOf(pod), uid: pod.metadata.uid ?? '' };
    if (pod.metadata.deletionTimestamp) {
      if (type !== 'MODIFIED' || now.metadata.resourceVersion !== pod.metadata.resourceVersion) return;
      this.door.stopPod?.(now);
      const grace = (pod.metadata.deletionGracePeriodSeconds ?? 30) * 1_000_000;
      this.ctx.sim.after(Math.min(grace, this.door.stopAfterUs?.(now) ?? STOP_US), T.stop, due);
    } else if (!now.status?.podIP && now.metadata.resourceVersion === pod.metadata.resourceVersion) {
      this.ctx.sim.after(SANDBOX_US, 'kubelet.sandbox', due);
    }
  }

  private find(p: { key: string; uid: string }): Pod | undefined {
    const [namespace, name = ''] = p.key.split('/');
    const pod = getObject(this.ctx.world, 'Pod', namespace, name);
    return pod?.metadata.uid === p.uid ? pod : undefined;
  }

  private patch(pod: Pod, status: object): void {
    this.api.patch(
      'Pod',
      pod.metadata.namespace,
      pod.metadata.name,
      'strategic-merge',
      { status: status as never },
      { by: 'kubelet', subresource: 'status' },
    );
  }

  private sandbox(p: { key: string; uid: string }): void {
    const pod = this.find(p);
    if (!pod || pod.metadata.deletionTimestamp || pod.status?.podIP) return;
    const net = this.door.addPod(pod);
    if (!net) {
      this.ctx.sim.after(RETRY_US, 'kubelet.sandbox', p);
      return;
    }
    const [podIP = ''] = net.podIPs;
    this.patch(pod, {
      hostIP: net.hostIP,
      hostIPs: [{ ip: net.hostIP }],
      podIP,
      podIPs: net.podIPs.map((ip) => ({ ip })),
      startTime: timestamp(this.ctx.sim.now),
      conditions: this.conditions(pod, false),
    });
    this.ctx.sim.after(START_US, T.start, p);
  }

  private started(p: { key: string; uid: string }): void {
    const pod = this.find(p);
    if (!pod || pod.metadata.deletionTimestamp) return;
    this.door.startPod?.(pod);
    this.patch(pod, { phase: 'Running', containerStatuses: this.containers(pod, false) });
    const after = this.door.readyAfterUs ? this.door.readyAfterUs(pod) : READY_US;
    if (after !== undefined) this.ctx.sim.after(after, T.ready, p);
  }

  private ready(p: { key: string; uid: string }): void {
    const pod = this.find(p);
    if (!pod || pod.metadata.deletionTimestamp) return;
    this.patch(pod, { conditions: this.conditions(pod, true), containerStatuses: this.containers(pod, true) });
  }

  private stopped(p: { key: string; uid: string }): void {
    const pod = this.find(p);
    if (!pod?.metadata.deletionTimestamp) return;
    this.api.delete('Pod', pod.metadata.namespace, pod.metadata.name, { by: 'kubelet', graceSeconds: 0 });
  }

  private containers(pod: Pod, ready: boolean): object[] {
    return pod.spec.containers.map((c) => ({
      name: c.name,
      image: c.image ?? '',
      imageID: '',
      ready,
      restartCount: 0,
      started: true,
      state: { running: { startedAt: timestamp(this.ctx.sim.now) } },
      lastState: {},
    }));
  }

  private conditions(pod: Pod, ready: boolean): PodCondition[] {
    const now = timestamp(this.ctx.sim.now);
    const had = pod.status?.conditions ?? [];
    const of = (type: string, status: 'True' | 'False'): PodCondition => {
      const before = had.find((c) => c.type === type);
      return before?.status === status ? before : { type, status, lastTransitionTime: now };
    };
    const state = ready ? 'True' : 'False';
    return [
      of('PodReadyToStartContainers', 'True'),
      of('Initialized', 'True'),
      of('Ready', state),
      of('ContainersReady', state),
      of('PodScheduled', 'True'),
    ];
  }
}
