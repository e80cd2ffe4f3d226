import { ipFamily } from '../../base/ip';
import type { EndpointSlice, Endpoints, SlicePort } from '../types';
import { duplicate, type FieldError, invalidValue, required, tooMany, unsupported } from './field';
import { ipProblems, validateIp, validateNonSpecialIp } from './ip';
import { validateMeta } from './meta';
import { isDns1123Label, isDns1123Subdomain, isPortNum, isQualifiedName } from './text';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;

/** pkg/apis/discovery/validation. */
export function validateEndpointSlice(slice: EndpointSlice): FieldError[] {
  return [
    ...validateMeta(slice.metadata, true, isDns1123Subdomain),
    ...validateAddressType(slice),
    ...validateEndpointList(slice),
    ...validateSlicePorts(slice.ports ?? [], 'ports'),
  ];
}

function validateAddressType(slice: EndpointSlice): FieldError[] {
  if (!slice.addressType) return [required('addressType')];
  if (ADDRESS_TYPES.includes(slice.addressType)) return [];
  return [unsupported('addressType', slice.addressType, ADDRESS_TYPES)];
}

function validateEndpointList(slice: EndpointSlice): FieldError[] {
  const endpoints = slice.endpoints ?? [];
  if (endpoints.length > MAX_ENDPOINTS) return [tooMany('endpoints', endpoints.length, MAX_ENDPOINTS)];
  return endpoints.flatMap((e, i) => {
    const path = `endpoints[${i}]`;
    const addresses = e.addresses ?? [];
    const out: FieldError[] = [];
    if (addresses.length === 0) out.push(required(`${path}.addresses`));
    if (addresses.length > MAX_ADDRESSES) out.push(tooMany(`${path}.addresses`, addresses.length, MAX_ADDRESSES));
    addresses.forEach((a, j) => {
      out.push(...validateAddress(slice.addressType, a, `${path}.addresses[${j}]`));
    });
    if (e.nodeName !== undefined) {
      const node = e.nodeName;
      out.push(...isDns1123Subdomain(node).map((m) => invalidValue(`${path}.nodeName`, node, m)));
    }
    if (e.hostname !== undefined) {
      const host = e.hostname;
      out.push(...isDns1123Label(host).map((m) => invalidValue(`${path}.hostname`, host, m)));
    }
    return out;
  });
}

function validateAddress(type: EndpointSlice['addressType'], address: string, field: string): FieldError[] {
  if (type === 'FQDN') return isDns1123Subdomain(address).map((m) => invalidValue(field, address, m));
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const problems = ipProblems(address);
  if (problems.length > 0) return problems.map((m) => invalidValue(field, address, m));
  const family = type === 'IPv4' ? 4 : 6;
  const out: FieldError[] = [];
  if (ipFamily(address) !== family) out.push(invalidValue(field, address, `must be a valid ${type} address`));
  return [...out, ...validateNonSpecialIp(field, address)];
}

function validateSlicePorts(ports: readonly SlicePort[], path: string): FieldError[] {
  if (ports.length > MAX_PORTS) return [tooMany(path, ports.length, MAX_PORTS)];
  const names = new Set<string>();
  return ports.flatMap((p, i) => {
    const out: FieldError[] = [];
    const name = p.name ?? '';
    if (name !== '') out.push(...isDns1123Label(name).map((m) => invalidValue(`${path}[${i}].name`, name, m)));
    if (names.has(name)) out.push(duplicate(`${path}[${i}].name`, name));
    names.add(name);
    const proto = p.protocol ?? '';
    if (proto === '') out.push(required(`${path}[${i}].protocol`));
    else if (!PROTOCOLS.includes(proto)) out.push(unsupported(`${path}[${i}].protocol`, proto, PROTOCOLS));
    const app = p.appProtocol;
    if (app !== undefined) {
      out.push(...isQualifiedName(app).map((m) => invalidValue(`${path}[${i}].appProtocol`, app, m)));
    }
    return out;
  });
}

/** Slices: addressType never changes. */
export function validateEndpointSliceUpdate(slice: EndpointSlice, old: EndpointSlice): FieldError[] {
  if (slice.addressType === old.addressType) return [];
  return [invalidValue('addressType', slice.addressType, 'field is immutable')];
}

/** core/v1 Endpoints. */
export function validateEndpoints(ep: Endpoints): FieldError[] {
  const out = validateMeta(ep.metadata, true, isDns1123Subdomain);
  (ep.subsets ?? []).forEach((s, i) => {
    const path = `subsets[${i}]`;
    const addresses = s.addresses ?? [];
    const notReady = s.notReadyAddresses ?? [];
    if (addresses.length === 0 && notReady.length === 0) {
      out.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
    }
    addresses.forEach((a, j) => {
      const field = `${path}.addresses[${j}].ip`;
      out.push(...validateIp(field, a.ip), ...validateNonSpecialIp(field, a.ip));
    });
    notReady.forEach((a, j) => {
      const field = `${path}.notReadyAddresses[${j}].ip`;
      out.push(...validateIp(field, a.ip), ...validateNonSpecialIp(field, a.ip));
    });
    const ports = s.ports ?? [];
    ports.forEach((p, j) => {
      const name = p.name ?? '';
      const field = `${path}.ports[${j}]`;
      if (name === '') {
        if (ports.length > 1) out.push(required(`${field}.name`));
      } else out.push(...isDns1123Label(name).map((m) => invalidValue(`${field}.name`, name, m)));
      out.push(...isPortNum(p.port).map((m) => invalidValue(`${field}.port`, p.port, m)));
      const proto = p.protocol ?? '';
      if (proto === '') out.push(required(`${field}.protocol`));
      else if (!PROTOCOLS.includes(proto)) out.push(unsupported(`${field}.protocol`, proto, PROTOCOLS));
    });
  });
  return out;
}
