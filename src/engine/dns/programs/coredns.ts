import { formatIpv4, parseIpv4 } from '../../base/ip';
import { EPOCH_SECONDS } from '../../base/wallclock';
import type { ApiServer } from '../../k8s';
import type { Program } from '../../workload/process';
import { corednsProgram } from '../coredns/process';
import { informerOf } from './informer';

/** The world a CoreDNS process is started in. */
export interface CoreDnsPlace {
  /** API server of its cluster; undefined outside one. */
  readonly api?: ApiServer;
  /** Named stream of random numbers. */
  readonly prng: Parameters<typeof corednsProgram>[0]['prng'];
  /** Addresses of a namespace's interfaces, loopback left out. */
  localIps(netns: string): readonly string[];
}

/** Environment that the kubelet gives every container (kubelet_pods.go makeEnvironmentVariables), as far as CoreDNS reads it. */
const inCluster = (api: ApiServer): Readonly<Record<string, string>> => {
  const first = parseIpv4(api.ranges[0]?.base ?? '') ?? 0;
  return { KUBERNETES_SERVICE_HOST: formatIpv4(first + 1), KUBERNETES_SERVICE_PORT: '443' };
};

/** The coredns binary as a program: `coredns -conf FILE`. */
export const coredns =
  (place: CoreDnsPlace): Program =>
  (sys) => {
    const env = { ...(place.api ? inCluster(place.api) : {}), ...sys.env };
    return corednsProgram({
      prng: place.prng,
      ...(place.api ? { kube: informerOf(place.api) } : {}),
      localIps: () => place.localIps(sys.netns),
      getenv: (name) => env[name] ?? '',
      unixUs: () => EPOCH_SECONDS * 1_000_000 + sys.nowUs,
    })(sys);
  };
