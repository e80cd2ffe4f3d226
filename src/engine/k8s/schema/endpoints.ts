import { objectReference, typeMeta } from './meta';
import { bool, int32, type KindDef, list, map, obj, str } from './schema';

const endpoint = obj('Endpoint', {
  addresses: list(str),
  conditions: obj('EndpointConditions', { ready: bool, serving: bool, terminating: bool }),
  hostname: str,
  targetRef: objectReference,
  deprecatedTopology: map(str),
  nodeName: str,
  zone: str,
  hints: obj('EndpointHints', {
    forZones: list(obj('ForZone', { name: str })),
    forNodes: list(obj('ForNode', { name: str })),
  }),
});

export const endpointSliceKind: KindDef = {
  kind: 'EndpointSlice',
  apiVersion: 'discovery.k8s.io/v1',
  resource: 'endpointslices',
  singular: 'endpointslice',
  shortNames: [],
  namespaced: true,
  schema: obj('EndpointSlice', {
    ...typeMeta,
    addressType: str,
    endpoints: list(endpoint),
    ports: list(obj('EndpointPort', { name: str, protocol: str, port: int32, appProtocol: str })),
  }),
  generation: true,
  statusSubresource: false,
};

const address = obj('EndpointAddress', { ip: str, hostname: str, nodeName: str, targetRef: objectReference });

export const endpointsKind: KindDef = {
  kind: 'Endpoints',
  apiVersion: 'v1',
  resource: 'endpoints',
  singular: 'endpoints',
  shortNames: ['ep'],
  namespaced: true,
  schema: obj('Endpoints', {
    ...typeMeta,
    subsets: list(
      obj('EndpointSubset', {
        addresses: list(address),
        notReadyAddresses: list(address),
        ports: list(obj('EndpointPort', { name: str, protocol: str, port: int32, appProtocol: str })),
      }),
    ),
  }),
  generation: false,
  statusSubresource: false,
};
