/** The parts of Kubernetes objects that CoreDNS reads; the field names are the API's own. */
export interface KubeMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}
export interface KubeService {
  readonly metadata: KubeMeta;
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalName?: string;
    readonly externalIPs?: readonly string[];
    readonly ports?: readonly { readonly name?: string; readonly protocol?: string; readonly port: number }[];
  };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { ip?: string; hostname?: string }[] } };
}
export interface KubeEndpointSlice {
  readonly metadata: KubeMeta;
  readonly addressType?: string;
  readonly endpoints?:
    | readonly {
        readonly addresses: readonly string[];
        readonly conditions?: { readonly ready?: boolean };
        readonly hostname?: string;
        readonly zone?: string;
        readonly nodeName?: string;
        readonly targetRef?: { readonly kind?: string; readonly name?: string };
      }[]
    | null;
  readonly ports?: readonly { readonly name?: string; readonly protocol?: string; readonly port?: number }[] | null;
}
export interface KubePod {
  readonly metadata: KubeMeta;
  readonly status?: { readonly podIP?: string; readonly phase?: string };
}
export interface KubeNamespace {
  readonly metadata: KubeMeta;
}

/** The API server as an informer sees it. All lists come in a stable order. */
export interface KubeSource {
  /** Rises with every change of any listed object. */
  version(): number;
  /** False while the API cannot be reached: informers have no first list yet. */
  reachable(): boolean;
  services(): readonly KubeService[];
  endpointSlices(): readonly KubeEndpointSlice[];
  pods(): readonly KubePod[];
  namespaces(): readonly KubeNamespace[];
  /** Unix seconds of the last change (the SOA serial). */
  modified(): number;
}

export interface EndpointAddress {
  readonly ip: string;
  readonly hostname: string;
  readonly targetName: string;
  readonly zone: string;
}
export interface EndpointPort {
  readonly name: string;
  readonly protocol: string;
  /** -1: the slice declares no port. */
  readonly port: number;
}
/** One EndpointSlice, ready addresses only. */
export interface Endpoints {
  readonly namespace: string;
  /** `service.namespace`. */
  readonly index: string;
  readonly addresses: readonly EndpointAddress[];
  readonly ports: readonly EndpointPort[];
}
export interface Service {
  readonly name: string;
  readonly namespace: string;
  readonly type: string;
  readonly clusterIPs: readonly string[];
  readonly externalName: string;
  readonly ports: readonly EndpointPort[];
  readonly headless: boolean;
}

export interface IndexOptions {
  readonly labels: ((labels: Readonly<Record<string, string>>) => boolean) | undefined;
  readonly namespaceLabels: ((labels: Readonly<Record<string, string>>) => boolean) | undefined;
  readonly endpoints: boolean;
  readonly pods: boolean;
}

/** Indexes over the API's objects, rebuilt when they change. */
export class KubeIndex {
  private built = -1;
  private byName = new Map<string, Service[]>();
  private byClusterIp = new Map<string, Service[]>();
  private epByService = new Map<string, Endpoints[]>();
  private epByIp = new Map<string, Endpoints[]>();
  private podByIp = new Map<string, { ip: string; namespace: string }[]>();
  private namespaces = new Set<string>();
  private ordered: Service[] = [];
  private seen = false;

  constructor(
    private readonly source: KubeSource | undefined,
    private readonly options: IndexOptions,
  ) {}

  /** True once the first lists came in; it stays true when the API goes away later. */
  get synced(): boolean {
    return this.seen;
  }
  /** Whether the API can be asked now. */
  get reachable(): boolean {
    return this.source?.reachable() ?? false;
  }
  /** The first lists have come in. */
  listed(): void {
    this.seen = true;
  }
  get modified(): number {
    return this.synced ? (this.source?.modified() ?? 0) : 0;
  }
  services(): readonly Service[] {
    this.refresh();
    return this.ordered;
  }
  service(name: string, namespace: string): readonly Service[] {
    this.refresh();
    return this.byName.get(`${name}.${namespace}`) ?? [];
  }
  serviceByIndex(index: string): readonly Service[] {
    this.refresh();
    return this.byName.get(index) ?? [];
  }
  serviceByIp(ip: string): readonly Service[] {
    this.refresh();
    return this.byClusterIp.get(ip) ?? [];
  }
  endpoints(index: string): readonly Endpoints[] {
    this.refresh();
    return this.epByService.get(index) ?? [];
  }
  endpointsByIp(ip: string): readonly Endpoints[] {
    this.refresh();
    return this.epByIp.get(ip) ?? [];
  }
  podsByIp(ip: string): readonly { readonly ip: string; readonly namespace: string }[] {
    this.refresh();
    return this.podByIp.get(ip) ?? [];
  }
  hasNamespace(name: string): boolean {
    this.refresh();
    return this.namespaces.has(name);
  }

  private refresh(): void {
    if (!this.source || !this.synced || !this.source.reachable()) return;
    const version = this.source.version();
    if (version === this.built) return;
    this.built = version;
    const { labels, namespaceLabels } = this.options;
    const wanted = (m: KubeMeta): boolean => !labels || labels(m.labels ?? {});
    this.ordered = this.source
      .services()
      .filter((s) => wanted(s.metadata))
      .map(toService);
    this.byName = group(this.ordered, (s) => [`${s.name}.${s.namespace}`]);
    this.byClusterIp = group(this.ordered, (s) => s.clusterIPs);
    const slices = this.options.endpoints ? this.source.endpointSlices().filter((s) => wanted(s.metadata)) : [];
    const eps = slices.map(toEndpoints);
    this.epByService = group(eps, (e) => [e.index]);
    this.epByIp = group(eps, (e) => [...new Set(e.addresses.map((a) => a.ip))]);
    const pods = this.options.pods ? this.source.pods().filter((p) => wanted(p.metadata)) : [];
    this.podByIp = group(pods.filter(alive).map(toPod), (p) => (p.ip ? [p.ip] : []));
    this.namespaces = new Set(
      this.source
        .namespaces()
        .filter((n) => !namespaceLabels || namespaceLabels(n.metadata.labels ?? {}))
        .map((n) => n.metadata.name),
    );
  }
}

function group<T>(items: readonly T[], keys: (item: T) => readonly string[]): Map<string, T[]> {
  const out = new Map<string, T[]>();
  for (const item of items) {
    for (const k of keys(item)) {
      const list = out.get(k);
      if (list) list.push(item);
      else out.set(k, [item]);
    }
  }
  return out;
}

const alive = (p: KubePod): boolean => !['Succeeded', 'Failed', 'Unknown'].includes(p.status?.phase ?? '');
const toPod = (p: KubePod): { ip: string; namespace: string } => ({
  ip: p.status?.podIP ?? '',
  namespace: p.metadata.namespace ?? 'default',
});

function toService(s: KubeService): Service {
  const clusterIPs = s.spec.clusterIPs?.length ? s.spec.clusterIPs : [s.spec.clusterIP ?? ''];
  const ports = s.spec.ports ?? [];
  return {
    name: s.metadata.name,
    namespace: s.metadata.namespace ?? 'default',
    type: s.spec.type ?? 'ClusterIP',
    clusterIPs,
    externalName: s.spec.externalName ?? '',
    ports:
      ports.length === 0
        ? [{ name: '', protocol: '', port: -1 }]
        : ports.map((p) => ({ name: p.name ?? '', protocol: p.protocol ?? 'TCP', port: p.port })),
    headless: clusterIPs[0] === 'None',
  };
}

/** EndpointSliceToEndpoints: addresses that are ready, where unknown counts as ready. */
function toEndpoints(s: KubeEndpointSlice): Endpoints {
  const namespace = s.metadata.namespace ?? 'default';
  const ports = s.ports ?? [];
  const addresses: EndpointAddress[] = [];
  for (const e of s.endpoints ?? []) {
    if (e.conditions?.ready === false) continue;
    const target = e.targetRef?.name ?? '';
    for (const ip of e.addresses) {
      addresses.push({
        ip,
        hostname: e.hostname ?? '',
        targetName: target.length < 64 ? target : '',
        zone: (e.zone ?? '').toLowerCase(),
      });
    }
  }
  return {
    namespace,
    index: `${s.metadata.labels?.['kubernetes.io/service-name'] ?? ''}.${namespace}`,
    addresses,
    ports:
      ports.length === 0
        ? [{ name: '', protocol: '', port: -1 }]
        : ports.map((p) => ({ name: p.name ?? '', protocol: p.protocol ?? 'TCP', port: p.port ?? -1 })),
  };
}
