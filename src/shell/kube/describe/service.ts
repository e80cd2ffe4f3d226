import type { Obj } from '../api';
import { describeServiceEndpoints } from '../endpoints';
import { formatLabels, list, nameOf, namespaceOf, num, rec, str } from '../fields';
import { type DescribeCtx, Describer, events } from './writer';

/** `kubectl describe service` (kubectl/pkg/describe describeService). */
export function describeService(o: Obj, ctx: DescribeCtx): string {
  const d = new Describer();
  d.line(0, `Name:\t${nameOf(o)}`);
  d.line(0, `Namespace:\t${namespaceOf(o)}`);
  d.multiline(0, 'Labels', rec(o, 'metadata', 'labels'));
  d.annotations('Annotations', o);
  d.line(0, `Selector:\t${formatLabels(rec(o, 'spec', 'selector'))}`);
  d.line(0, `Type:\t${str(o, 'spec', 'type')}`);
  if (str(o, 'spec', 'ipFamilyPolicy') !== '') d.line(0, `IP Family Policy:\t${str(o, 'spec', 'ipFamilyPolicy')}`);
  const families = list(o, 'spec', 'ipFamilies').map(String);
  d.line(0, `IP Families:\t${families.length > 0 ? families.join(',') : '<none>'}`);
  d.line(0, `IP:\t${str(o, 'spec', 'clusterIP')}`);
  const ips = list(o, 'spec', 'clusterIPs').map(String);
  d.line(0, `IPs:\t${ips.length > 0 ? ips.join(',') : '<none>'}`);
  const externalIps = list(o, 'spec', 'externalIPs').map(String);
  if (externalIps.length > 0) d.line(0, `External IPs:\t${externalIps.join(',')}`);
  if (str(o, 'spec', 'loadBalancerIP') !== '')
    d.line(0, `Desired LoadBalancer IP:\t${str(o, 'spec', 'loadBalancerIP')}`);
  if (str(o, 'spec', 'externalName') !== '') d.line(0, `External Name:\t${str(o, 'spec', 'externalName')}`);
  const ingress = list(o, 'status', 'loadBalancer', 'ingress');
  if (ingress.length > 0) {
    const text = ingress.map((i) => {
      const ip = str(i, 'ip');
      if (ip === '') return str(i, 'hostname');
      return str(i, 'ipMode') === '' ? ip : `${ip} (${str(i, 'ipMode')})`;
    });
    d.line(0, `LoadBalancer Ingress:\t${text.join(', ')}`);
  }
  const slices = ctx
    .list('EndpointSlice', namespaceOf(o))
    .filter((s) => str(s, 'metadata', 'labels', 'kubernetes.io/service-name') === nameOf(o));
  for (const p of list(o, 'spec', 'ports')) {
    const name = str(p, 'name') || '<unset>';
    d.line(0, `Port:\t${name}\t${str(p, 'port')}/${str(p, 'protocol')}`);
    d.line(0, `TargetPort:\t${str(p, 'targetPort')}/${str(p, 'protocol')}`);
    if ((num(p, 'nodePort') ?? 0) !== 0) d.line(0, `NodePort:\t${name}\t${str(p, 'nodePort')}/${str(p, 'protocol')}`);
    d.line(0, `Endpoints:\t${describeServiceEndpoints(slices, str(p, 'name'))}`);
  }
  d.line(0, `Session Affinity:\t${str(o, 'spec', 'sessionAffinity')}`);
  if (str(o, 'spec', 'externalTrafficPolicy') !== '') {
    d.line(0, `External Traffic Policy:\t${str(o, 'spec', 'externalTrafficPolicy')}`);
  }
  if (str(o, 'spec', 'internalTrafficPolicy') !== '') {
    d.line(0, `Internal Traffic Policy:\t${str(o, 'spec', 'internalTrafficPolicy')}`);
  }
  if (str(o, 'spec', 'trafficDistribution') !== '')
    d.line(0, `Traffic Distribution:\t${str(o, 'spec', 'trafficDistribution')}`);
  if ((num(o, 'spec', 'healthCheckNodePort') ?? 0) !== 0) {
    d.line(0, `HealthCheck NodePort:\t${str(o, 'spec', 'healthCheckNodePort')}`);
  }
  const ranges = list(o, 'spec', 'loadBalancerSourceRanges').map(String);
  if (ranges.length > 0) d.line(0, `LoadBalancer Source Ranges:\t${ranges.join(',')}`);
  events(d, ctx, o);
  return d.finish();
}
