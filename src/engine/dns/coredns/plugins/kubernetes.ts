import type { DnsMsg } from '../../message';
import { replyTo } from '../../message';
import { matchZones } from '../../names';
import { sleep, type Task } from '../../tasks';
import { CorefileError } from '../corefile';
import { atoi, parseDuration } from '../duration';
import { KubeLookup, type KubeOptions, type Records } from '../kubernetes/lookup';
import { KubeIndex } from '../kubernetes/source';
import { transferRecords } from '../kubernetes/transfer';
import { fallZones, isReverse, origins } from '../normalize';
import {
  type Controller,
  ERR_ONCE,
  type Handler,
  logLine,
  nextOrFailure,
  OK,
  type PluginSpec,
  qnameOf,
  qtypeOf,
  type Serve,
  type ServeCtx,
  type Writer,
  withQuestion,
} from '../plugin';
import { resolvConfSearch } from '../resolvconf';
import { parseSelector, type Selector } from '../selector';

interface Parsed extends KubeOptions {
  readonly fall: readonly string[];
  readonly noEndpoints: boolean;
  readonly labels: Selector | undefined;
  readonly namespaceLabels: Selector | undefined;
  readonly startupTimeoutUs: number;
  readonly endpoint: boolean;
}

/** Answers for Services and Pods (plugin/kubernetes, Kubernetes DNS specification 1.1.0). */
class Kubernetes implements Handler {
  readonly name = 'kubernetes';
  constructor(
    private readonly next: Handler | undefined,
    private readonly k: KubeLookup,
    private readonly fall: readonly string[],
    private readonly search: readonly string[],
  ) {}

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const qname = r.question[0]?.name ?? '.';
    const match = matchZones(this.k.options.zones, qname);
    if (match === '') return yield* nextOrFailure(this.name, this.next, ctx, w, r);
    // The zone keeps the letters of the query.
    const zone = match === '.' ? '.' : qname.slice(qname.length - match.length);
    let found: Records | undefined;
    const type = qtypeOf(r);
    switch (type) {
      case 'A':
      case 'AAAA':
      case 'TXT':
        found = yield* this.k.addresses(ctx, w, r, zone, type);
        break;
      case 'CNAME':
        found = this.k.cname(r, zone);
        break;
      case 'PTR':
        found = this.k.ptr(r, zone);
        break;
      case 'MX':
        found = this.k.mx(r, zone);
        break;
      case 'SRV':
        found = this.k.srv(r, zone);
        break;
      case 'SOA':
        found = { records: qname === zone ? [this.k.soa(zone)] : [], extra: [], truncated: false };
        break;
      case 'AXFR':
      case 'IXFR':
        return { rcode: 'REFUSED' };
      default: {
        if (type === 'NS' && qname.toLowerCase() === zone) {
          found = this.k.ns(r, zone);
          break;
        }
        // A look-up of addresses tells NODATA from NXDOMAIN.
        const fake = yield* this.k.addresses(ctx, w, withQuestion(r, qname, 'A'), zone, 'A');
        found = fake && { records: [], extra: [], truncated: false };
      }
    }
    if (!found) {
      if (matchZones(this.fall, qnameOf(r)) !== '') return yield* nextOrFailure(this.name, this.next, ctx, w, r);
      return this.error(w, r, zone, this.k.index.synced ? 'NXDOMAIN' : 'SERVFAIL');
    }
    if (found.records.length === 0) return this.error(w, r, zone, 'NOERROR');
    const m = replyTo(r);
    m.aa = true;
    m.tc = found.truncated;
    m.answer = found.records;
    m.additional = found.extra;
    w.write(m);
    return OK;
  }

  private error(w: Writer, r: DnsMsg, zone: string, rcode: string): { rcode: string } {
    const m = replyTo(r, rcode);
    m.aa = true;
    m.authority = [this.k.soa(zone)];
    w.write(m);
    return OK;
  }

  ready(): boolean {
    return this.k.index.synced;
  }

  autoPath(w: Writer, r: DnsMsg): string[] {
    const zone = matchZones(this.k.options.zones, qnameOf(r));
    if (zone === '' || this.k.options.pods !== 'verified') return [];
    const pod = this.k.index.podsByIp(w.peer.ip)[0];
    if (!pod) return [];
    const own =
      zone === '.' ? [`${pod.namespace}.svc.`, 'svc.', '.'] : [`${pod.namespace}.svc.${zone}`, `svc.${zone}`, zone];
    return [...own, ...this.search, ''];
  }

  transfer(zone: string, serial: number): ReturnType<NonNullable<Handler['transfer']>> {
    if (matchZones(this.k.options.zones, zone) === '') return undefined;
    const soa = this.k.soa(zone);
    if (serial !== 0 && Number(soa.rdata.split(' ')[2]) === serial) return [soa];
    return transferRecords(this.k, zone);
  }
}

function parse(c: Controller): Parsed {
  const zones = origins(c.remainingArgs(), c.keys);
  const primaryZone = zones.find((z) => !isReverse(z));
  if (primaryZone === undefined) throw new CorefileError('non-reverse zone name must be used');
  let pods: KubeOptions['pods'] = 'disabled';
  let fall: string[] = [];
  let ttl = 5;
  let noEndpoints = false;
  let endpointPodNames = false;
  let ignoreEmptyService = false;
  let zonal = false;
  let labels: Selector | undefined;
  let namespaceLabels: Selector | undefined;
  let startupTimeoutUs = 5_000_000;
  let endpoint = false;
  const namespaces = new Set<string>();
  const noArgs = (): void => {
    if (c.remainingArgs().length > 0) throw c.argErr();
  };
  while (c.nextBlock()) {
    switch (c.val()) {
      case 'endpoint_pod_names':
        noArgs();
        endpointPodNames = true;
        break;
      case 'pods': {
        const args = c.remainingArgs();
        if (args.length !== 1) throw c.argErr();
        const mode = args[0] as string;
        if (mode !== 'disabled' && mode !== 'insecure' && mode !== 'verified')
          throw new CorefileError(`wrong value for pods: ${mode},  must be one of: disabled, verified, insecure`);
        pods = mode;
        break;
      }
      case 'namespaces': {
        const args = c.remainingArgs();
        if (args.length === 0) throw c.argErr();
        for (const a of args) namespaces.add(a);
        break;
      }
      case 'endpoint': {
        const args = c.remainingArgs();
        if (args.length === 0) throw c.argErr();
        if (args.length > 1) throw new CorefileError('multiple endpoints can no longer be specified; use one');
        endpoint = true;
        break;
      }
      case 'tls': {
        if (c.remainingArgs().length !== 3) throw c.argErr();
        break;
      }
      case 'labels':
      case 'namespace_labels': {
        const which = c.val();
        const args = c.remainingArgs();
        if (args.length === 0) throw c.argErr();
        const s = parseSelector(args.join(' '));
        if (typeof s === 'string') {
          const what = which === 'labels' ? 'label' : 'namespace_label';
          throw new CorefileError(`unable to parse ${what} selector value: '${args.join(' ')}': ${s}`);
        }
        if (which === 'labels') labels = s;
        else namespaceLabels = s;
        break;
      }
      case 'fallthrough':
        fall = fallZones(c.remainingArgs());
        break;
      case 'ttl': {
        const args = c.remainingArgs();
        if (args.length === 0) throw c.argErr();
        const t = atoi(args[0] as string);
        if (typeof t === 'string') throw new CorefileError(t);
        if (t < 0 || t > 3600) throw c.err(`ttl must be in range [0, 3600]: ${t}`);
        ttl = t;
        break;
      }
      case 'noendpoints':
        noArgs();
        noEndpoints = true;
        break;
      case 'zonal':
        noArgs();
        zonal = true;
        break;
      case 'ignore': {
        const args = c.remainingArgs();
        if (args.length === 0) break;
        if (args[0] !== 'empty_service') throw new CorefileError(`unable to parse ignore value: '${args[0]}'`);
        ignoreEmptyService = true;
        break;
      }
      case 'kubeconfig': {
        const n = c.remainingArgs().length;
        if (n !== 1 && n !== 2) throw c.argErr();
        endpoint = true;
        break;
      }
      case 'multicluster':
        c.remainingArgs();
        break;
      case 'startup_timeout': {
        const args = c.remainingArgs();
        if (args.length === 0) throw c.argErr();
        const us = parseDuration(args[0] as string);
        if (us === undefined)
          throw new CorefileError(
            `failed to parse startup_timeout: ${args[0]}, time: invalid duration ${JSON.stringify(args[0])}`,
          );
        startupTimeoutUs = us;
        break;
      }
      case 'apiserver_qps':
      case 'apiserver_burst':
      case 'apiserver_max_inflight': {
        if (c.remainingArgs().length !== 1) throw c.argErr();
        break;
      }
      default:
        throw c.err(`unknown property '${c.val()}'`);
    }
  }
  if (namespaces.size > 0 && namespaceLabels) throw c.err('namespaces and namespace_labels cannot both be set');
  if (zonal && noEndpoints) throw c.err('zonal requires the endpoint cache; remove noendpoints');
  return {
    zones,
    namespaces,
    pods,
    endpointPodNames,
    ignoreEmptyService,
    zonal,
    ttl,
    primaryZone,
    fall,
    noEndpoints,
    labels,
    namespaceLabels,
    startupTimeoutUs,
    endpoint,
  };
}

export const kubernetes: PluginSpec = {
  name: 'kubernetes',
  setup(c) {
    let p: Parsed | undefined;
    while (c.next()) {
      if (p) throw new CorefileError(ERR_ONCE);
      p = parse(c);
    }
    const parsed = p as Parsed;
    const { env } = c;
    if (
      !parsed.endpoint &&
      (env.getenv('KUBERNETES_SERVICE_HOST') === '' || env.getenv('KUBERNETES_SERVICE_PORT') === '')
    )
      throw new CorefileError(
        'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
      );
    const index = new KubeIndex(env.kube, {
      labels: parsed.labels,
      namespaceLabels: parsed.namespaceLabels,
      endpoints: !parsed.noEndpoints,
      pods: parsed.pods === 'verified',
    });
    const lookup = new KubeLookup(index, parsed, () => env.localIps());
    const search = resolvConfSearch(env.sys.readFile('/etc/resolv.conf') ?? '');
    c.hooks.startup.push(() => {
      c.env.tasks.go(firstLists(index));
      return waitForApi(c, index, parsed.startupTimeoutUs);
    });
    c.addPlugin((next) => new Kubernetes(next, lookup, parsed.fall, search));
  },
};

/** From the request for the first lists to their arrival, and between tries (us). */
const LIST_US = 50_000;
const RETRY_US = 100_000;

/** What the informers do at first: list, again and again until the API can be reached. */
function* firstLists(index: KubeIndex): Task {
  while (!index.reachable) yield* sleep(RETRY_US);
  yield* sleep(LIST_US);
  index.listed();
}

/** Holds the start until the informers have their first lists, at most startup_timeout; says so every 500 ms. */
function* waitForApi(c: Controller, index: KubeIndex, timeoutUs: number): Task<string | undefined> {
  for (let t = 100_000; ; t += 100_000) {
    yield* sleep(100_000);
    if (index.synced) return undefined;
    if (t % 500_000 === 0 && t < timeoutUs)
      logLine(c.env, 'INFO', 'kubernetes', 'waiting for Kubernetes API before starting server');
    if (t >= timeoutUs) {
      logLine(c.env, 'WARNING', 'kubernetes', 'starting server with unsynced Kubernetes API');
      return undefined;
    }
  }
}
