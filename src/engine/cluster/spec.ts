import type { DeviceSpec, RouteSpec } from '../net';

/** A server program that a machine or pod runs from the start. */
export interface ServerSpec {
  /** Name in the table of programs (workload/programs). */
  readonly program: string;
  readonly argv: readonly string[];
}

/** One namespace of the world with its links: a node, a machine outside, or a pod that no API object stands for. */
export interface MachineSpec {
  /** Namespace id; pods without an object: `node-1/10.244.1.100`. */
  readonly id: string;
  readonly hostname: string;
  readonly kind: 'node' | 'pod' | 'machine';
  /** Machine whose kernel it runs on; its own id for nodes and machines. */
  readonly node: string;
  /** Initial namespace of its kernel: writable nf_conntrack_max, log line without "in netns N". */
  readonly init: boolean;
  readonly links: readonly (DeviceSpec & { readonly veth?: { readonly netns: string } & Omit<DeviceSpec, 'kind'> })[];
  readonly routes?: readonly RouteSpec[];
  readonly sysctls?: Readonly<Record<string, string>>;
  /** Static neighbours. */
  readonly neighbours?: readonly { readonly dev: string; readonly ip: string; readonly mac: string }[];
  readonly servers?: readonly ServerSpec[];
  readonly files?: Readonly<Record<string, string>>;
  /** Tools installed there (shell/place ImageName). */
  readonly image?: string;
  /** Versions of the tools; default debian12. */
  readonly packages?: 'debian12' | 'debian13';
  /** /proc/sys is mounted read-only there. */
  readonly readOnlySys?: boolean;
  /** Programs there beside the image's. */
  readonly extra?: readonly string[];
  /** Programs there find no /run/netns. */
  readonly namelessNetns?: boolean;
  /** Names that resolve to busybox there (images with the whole of busybox need none). */
  readonly applets?: readonly string[];
  /** False: a namespace as `ip netns add` leaves it, `lo` down and without an address. */
  readonly loUp?: boolean;
}

/** The control plane of a cluster; absent: bare machines. */
export interface ControlPlaneSpec {
  readonly serviceCidr: string;
  readonly clusterCidr: string;
  /** Where the API server answers. */
  readonly apiServer: { readonly ip: string; readonly port: number };
  readonly nodes: readonly {
    readonly name: string;
    readonly ip: string;
    readonly podCidr: string;
    readonly zone: string;
  }[];
  readonly proxyMode: 'iptables' | 'ipvs' | 'nftables';
  readonly proxyFlags: readonly string[];
  /** Whether the kubelet stand-in gives pods addresses, namespaces and readiness (false: statuses come from manifests and the network exists already). */
  readonly kubelet: boolean;
  /** kube-dns Service and CoreDNS pods in kube-system. */
  readonly dns: boolean;
}

export interface ClusterSpec {
  readonly profile: string;
  readonly machines: readonly MachineSpec[];
  readonly controlPlane?: ControlPlaneSpec;
  /** What the profile pill shows: versions that this world models. */
  readonly versions: {
    readonly kubernetes?: string;
    readonly kernel: string;
    readonly iptables: string;
    readonly backend: 'nft' | 'legacy';
    readonly cni?: string;
    /** Device types that the kernels were built with; default: all that the model knows. */
    readonly linkTypes?: readonly string[];
  };
}
