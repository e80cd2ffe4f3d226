import type { NetnsId } from '../engine/net';

/** Where a command line runs (the session's PlaceRef, structurally). */
export type PlaceRef =
  | { readonly kind: 'workstation' }
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'pod'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'machine'; readonly name: string };

/** Versions of the tools of a place: Debian 12 is the default of a node, Debian 13 the other set. */
export type PackageSet = 'debian12' | 'debian13';

/** A place with what the shell needs to know of it; the session looks it up for each command. */
export interface Place {
  readonly ref: PlaceRef;
  /** Its network namespace; undefined on the workstation, whose only network is the API server. */
  readonly netns: NetnsId | undefined;
  /** The machine whose kernel runs there: a node's name, or the machine's own. */
  readonly machine: string;
  readonly hostname: string;
  /** Which programs are installed (images.ts). */
  readonly image: ImageName;
  readonly packages: PackageSet;
  /** Text files of the place that are no kernel interface: /etc/hosts, /etc/resolv.conf ... */
  readonly files: Readonly<Record<string, string>>;
  readonly kernel: Kernel;
  /** Names that resolve to busybox although the image has programs of these names. */
  readonly applets?: readonly string[];
  /** Programs there beside the image's. */
  readonly extra?: readonly string[];
  /** Socket of the container runtime; undefined: there is none. */
  readonly runtime?: string;
  /** /run/netns is not there: namespaces have no names, only ids. */
  readonly namelessNetns?: boolean;
  /** /proc/sys is mounted read-only, as container runtimes do for unprivileged pods. */
  readonly readOnlySys?: boolean;
}

/** What of a machine's kernel its tools print. */
export interface Kernel {
  /** uname -r. */
  readonly release: string;
  /** uname -v. */
  readonly version: string;
  /** Names and sizes (bytes) of loaded modules; undefined: the kernel has no module support. */
  readonly modules: readonly (readonly [name: string, size: number, usedBy: readonly string[]])[] | undefined;
  /** Modules that modprobe finds. */
  readonly available: readonly string[];
  /** Device types that the kernel was built with; undefined: all that the model knows. */
  readonly linkTypes?: readonly string[];
  /** Simulated time of boot, us (dmesg's stamps count from it). */
  readonly bootUs: number;
}

export type ImageName =
  /** kubectl and the usual text tools. */
  | 'workstation'
  /** A Kubernetes node: everything of the debugging trade. */
  | 'node'
  /** A machine outside of the cluster. */
  | 'machine'
  /** A pod with Debian's network tools. */
  | 'nettools'
  /** A pod with busybox only. */
  | 'busybox'
  /** A server's pod: Debian base files without network tools. */
  | 'slim';
