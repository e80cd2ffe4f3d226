import type { Pod } from '../k8s';
import type { ServerSpec } from './spec';

/** What a container image runs in the model, and which tools its shell has. */
export interface ImageDef {
  /** Repository without tag; the longest that is a prefix of the container's image decides. */
  readonly repository: string;
  /** Name of the tool set (shell/place ImageName). */
  readonly tools: 'nettools' | 'busybox' | 'slim';
  /** Its C library is musl, not glibc. */
  readonly musl?: boolean;
  servers(pod: Pod, container: Pod['spec']['containers'][number]): readonly ServerSpec[];
}

type Container = Pod['spec']['containers'][number];

const ports = (c: Container, protocol: 'TCP' | 'UDP'): number[] =>
  (c.ports ?? []).filter((p) => (p.protocol ?? 'TCP') === protocol).map((p) => p.containerPort);

const http = (pod: Pod, c: Container): ServerSpec[] =>
  ports(c, 'TCP').map((port) => ({
    program: 'http',
    argv: ['http', '-name', pod.metadata.name, '-port', String(port)],
  }));

/** In order; unknown images run nothing and have no tools. */
export const IMAGES: readonly ImageDef[] = [
  { repository: 'example/echo', tools: 'slim', servers: http },
  { repository: 'example/web', tools: 'slim', servers: http },
  {
    repository: 'nginx',
    tools: 'slim',
    servers: (pod, c) => http(pod, c.ports?.length ? c : { ...c, ports: [{ containerPort: 80 }] }),
  },
  { repository: 'example/tools', tools: 'nettools', servers: () => [] },
  { repository: 'nicolaka/netshoot', tools: 'nettools', servers: () => [] },
  { repository: 'busybox', tools: 'busybox', servers: () => [] },
  { repository: 'alpine', tools: 'busybox', musl: true, servers: () => [] },
  {
    repository: 'registry.k8s.io/coredns/coredns',
    tools: 'slim',
    servers: (_pod, c) => [{ program: 'coredns', argv: ['coredns', ...(c.args ?? [])] }],
  },
];

const NO_IMAGE: ImageDef = { repository: '', tools: 'slim', servers: () => [] };

export function imageDef(image: string): ImageDef {
  const repository = image.replace(/[:@].*$/, '');
  return IMAGES.find((d) => repository === d.repository || repository.endsWith(`/${d.repository}`)) ?? NO_IMAGE;
}

export function serversOf(pod: Pod): readonly ServerSpec[] {
  return pod.spec.containers.flatMap((c) => imageDef(c.image ?? '').servers(pod, c));
}

export function toolsOf(pod: Pod): ImageDef['tools'] {
  return imageDef(pod.spec.containers[0]?.image ?? '').tools;
}
