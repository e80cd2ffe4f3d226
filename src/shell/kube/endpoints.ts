import type { Obj } from './api';
import { list, num, rec, str } from './fields';

/** IPv6 addresses stand in brackets before a port (net.JoinHostPort). */
export const hostPort = (ip: string, port: number | string): string =>
  ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;

/** ENDPOINTS of an Endpoints object: subset by subset and port by port, three at most (printers.formatEndpoints). */
export function endpointsText(o: Obj, port?: string): string {
  const shown: string[] = [];
  let count = 0;
  let over = false;
  for (const subset of list(o, 'subsets')) {
    const addresses = list(subset, 'addresses');
    const ports = list(subset, 'ports');
    if (ports.length === 0) {
      for (const a of addresses) {
        if (shown.length === 3) over = true;
        else shown.push(str(a, 'ip'));
        count++;
      }
      continue;
    }
    for (const p of ports) {
      if (port !== undefined && str(p, 'name') !== port) continue;
      for (const a of addresses) {
        if (shown.length === 3) over = true;
        else shown.push(hostPort(str(a, 'ip'), num(p, 'port') ?? 0));
        count++;
      }
    }
  }
  if (shown.length === 0) return '<none>';
  return over ? `${shown.join(',')} + ${count - 3} more...` : shown.join(',');
}

/** The first address of each endpoint of a slice, ready or not. */
export function endpointSliceAddresses(o: Obj): string[] {
  return list(o, 'endpoints').flatMap((e) => list(e, 'addresses').slice(0, 1).map(String));
}

/**
 * Endpoints line of `kubectl describe service` for one port: ready endpoints of the slices that have this port. The
 * cut after three counts what follows it, a not-ready endpoint too, so that it may say `+ 0 more...`
 * (kubectl/pkg/describe formatEndpointSlices).
 */
export function describeServiceEndpoints(slices: readonly Obj[], portName: string): string {
  if (slices.length === 0) return '';
  const shown: string[] = [];
  let count = 0;
  let over = false;
  for (const slice of slices) {
    const endpoints = list(slice, 'endpoints');
    const one = (port: number | undefined): void => {
      for (const e of endpoints) {
        if (shown.length === 3) over = true;
        // An unset condition counts as ready.
        const ready = rec(e, 'conditions').ready;
        if (ready === false) continue;
        for (const a of list(e, 'addresses').map(String)) {
          if (!over) shown.push(port === undefined ? a : hostPort(a, port));
          count++;
        }
      }
    };
    const ports = list(slice, 'ports');
    if (ports.length === 0) one(undefined);
    for (const p of ports) if (str(p, 'name') === portName) one(num(p, 'port') ?? 0);
  }
  return over ? `${shown.join(',')} + ${count - 3} more...` : shown.join(',');
}
