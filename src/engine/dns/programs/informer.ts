import { byCodeUnit } from '../../base/json';
import { EPOCH_SECONDS } from '../../base/wallclock';
import { type ApiServer, keyOf, listObjects } from '../../k8s';
import type { KubeEndpointSlice, KubeNamespace, KubePod, KubeService, KubeSource } from '../coredns/kubernetes/source';

/** From a write to CoreDNS's notice of it, us (watch and informer of client-go). */
const NOTICE_US = 5_000;
const KINDS = ['Service', 'EndpointSlice', 'Pod', 'Namespace'] as const;

/** Objects as an informer of client-go holds them: listed once, then kept by the watch, so always a little late. */
class Informer implements KubeSource {
  private readonly objects = new Map<string, Map<string, unknown>>(KINDS.map((k) => [k, new Map()]));
  private readonly lists = new Map<string, unknown[]>();
  private changes = 1;
  private changedAtUs: number;

  constructor(readonly api: ApiServer) {
    this.changedAtUs = api.ctx.sim.now;
    for (const kind of KINDS) {
      for (const o of listObjects(api.ctx.world, kind)) this.objects.get(kind)?.set(keyOf(o), o);
    }
    api.watch({
      name: 'coredns',
      kinds: KINDS,
      delayUs: NOTICE_US,
      onEvent: ({ type, object }) => {
        const map = this.objects.get(object.kind);
        if (type === 'DELETED') map?.delete(keyOf(object));
        else map?.set(keyOf(object), object);
        this.lists.delete(object.kind);
        this.changes++;
        this.changedAtUs = api.ctx.sim.now;
      },
    });
  }

  private list(kind: (typeof KINDS)[number]): unknown[] {
    let list = this.lists.get(kind);
    if (!list) {
      const entries = [...(this.objects.get(kind) ?? [])].sort((a, b) => byCodeUnit(a[0], b[0]));
      list = entries.map(([, o]) => o);
      this.lists.set(kind, list);
    }
    return list;
  }

  version(): number {
    return this.changes;
  }
  reachable(): boolean {
    return true;
  }
  services(): readonly KubeService[] {
    return this.list('Service') as KubeService[];
  }
  endpointSlices(): readonly KubeEndpointSlice[] {
    return this.list('EndpointSlice') as KubeEndpointSlice[];
  }
  pods(): readonly KubePod[] {
    return this.list('Pod') as KubePod[];
  }
  namespaces(): readonly KubeNamespace[] {
    return this.list('Namespace') as KubeNamespace[];
  }
  modified(): number {
    return EPOCH_SECONDS + Math.floor(this.changedAtUs / 1_000_000);
  }
}

const informers = new WeakMap<ApiServer, Informer>();

/** The objects of an API server as the CoreDNS processes of its cluster see them. */
export function informerOf(api: ApiServer): KubeSource {
  let i = informers.get(api);
  if (!i) {
    i = new Informer(api);
    informers.set(api, i);
  }
  return i;
}
