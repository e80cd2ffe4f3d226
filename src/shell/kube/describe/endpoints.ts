import type { Obj } from '../api';
import { list, nameOf, namespaceOf, rec, str } from '../fields';
import { type DescribeCtx, Describer, events } from './writer';

function head(d: Describer, o: Obj): void {
  d.line(0, `Name:\t${nameOf(o)}`);
  d.line(0, `Namespace:\t${namespaceOf(o)}`);
  d.multiline(0, 'Labels', rec(o, 'metadata', 'labels'));
  d.annotations('Annotations', o);
}

/** `kubectl describe endpoints` (describeEndpoints). */
export function describeEndpoints(o: Obj, ctx: DescribeCtx): string {
  const d = new Describer();
  head(d, o);
  d.line(0, 'Subsets:');
  for (const subset of list(o, 'subsets')) {
    const ips = (key: string): string => {
      const all = list(subset, key).map((a) => str(a, 'ip'));
      return all.length > 0 ? all.join(',') : '<none>';
    };
    d.line(1, `Addresses:\t${ips('addresses')}`);
    d.line(1, `NotReadyAddresses:\t${ips('notReadyAddresses')}`);
    const ports = list(subset, 'ports');
    if (ports.length > 0) {
      d.line(1, 'Ports:');
      d.line(2, 'Name\tPort\tProtocol');
      d.line(2, '----\t----\t--------');
      for (const p of ports) d.line(2, `${str(p, 'name') || '<unset>'}\t${str(p, 'port')}\t${str(p, 'protocol')}`);
    }
    d.line(0, '');
  }
  events(d, ctx, o);
  return d.finish();
}

/** `kubectl describe endpointslice` (describeEndpointSliceV1). */
export function describeEndpointSlice(o: Obj, ctx: DescribeCtx): string {
  const d = new Describer();
  head(d, o);
  d.line(0, `AddressType:\t${str(o, 'addressType')}`);
  const ports = list(o, 'ports');
  if (ports.length === 0) d.line(0, 'Ports: <unset>');
  else {
    d.line(0, 'Ports:');
    d.line(1, 'Name\tPort\tProtocol');
    d.line(1, '----\t----\t--------');
    for (const p of ports) d.line(1, `${str(p, 'name') || '<unset>'}\t${str(p, 'port') || '*'}\t${str(p, 'protocol')}`);
  }
  const endpoints = list(o, 'endpoints');
  if (endpoints.length === 0) d.line(0, 'Endpoints: <none>');
  else {
    d.line(0, 'Endpoints:');
    for (const e of endpoints) {
      d.line(1, `- Addresses:\t${list(e, 'addresses').map(String).join(', ')}`);
      d.line(2, 'Conditions:');
      const ready = rec(e, 'conditions').ready;
      d.line(3, `Ready:\t${ready === undefined || ready === null ? '<unset>' : String(ready)}`);
      d.line(2, `Hostname:\t${str(e, 'hostname') || '<unset>'}`);
      const ref = rec(e, 'targetRef');
      if (str(ref, 'kind') !== '') d.line(2, `TargetRef:\t${str(ref, 'kind')}/${str(ref, 'name')}`);
      d.line(2, `NodeName:\t${str(e, 'nodeName') || '<unset>'}`);
      d.line(2, `Zone:\t${str(e, 'zone') || '<unset>'}`);
      const hints = list(e, 'hints', 'forZones').map((h) => str(h, 'name'));
      const nodeHints = list(e, 'hints', 'forNodes').map((h) => str(h, 'name'));
      if (hints.length + nodeHints.length > 0) {
        d.line(2, 'Hints:');
        if (hints.length > 0) d.line(3, `For Zones:\t${hints.join(', ')}`);
        if (nodeHints.length > 0) d.line(3, `For Nodes:\t${nodeHints.join(', ')}`);
      }
    }
  }
  events(d, ctx, o);
  return d.finish();
}
