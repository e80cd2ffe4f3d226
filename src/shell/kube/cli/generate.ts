import type { Json } from '../../../engine/base';
import { err, ok, type Result } from '../../../engine/base';
import type { Obj } from '../api';

export type ServiceType = 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';

/** strconv's error for a text that is no number of 16 bits. */
function parsePort(text: string): Result<number> {
  if (!/^\d+$/.test(text)) return err(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
  const n = Number(text);
  return n > 65535 ? err(`strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`) : ok(n);
}

/** `--tcp=80:8080` → a port named after what was typed, with blanks of `:` turned to `-`. */
export function tcpPort(text: string): Result<{ [key: string]: Json }> {
  const colon = text.indexOf(':');
  const port = parsePort(colon < 0 ? text : text.slice(0, colon));
  if (!port.ok) return port;
  const rest = colon < 0 ? text : text.slice(colon + 1);
  const number = parsePort(rest);
  if (!number.ok && !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(rest)) return number;
  return ok({
    name: text.replaceAll(':', '-'),
    port: port.value,
    protocol: 'TCP',
    targetPort: number.ok ? number.value : rest,
  });
}

export function serviceObject(name: string, type: ServiceType, spec: { [key: string]: Json }): Obj {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { labels: { app: name }, name },
    spec: { ...spec, selector: { app: name }, type },
    status: { loadBalancer: {} },
  };
}

export function deploymentObject(
  name: string,
  images: readonly string[],
  replicas: number,
  port: number | undefined,
  command: readonly string[],
): Obj {
  const short = (image: string): string => {
    const last = image.slice(image.lastIndexOf('/') + 1);
    return last.replace(/[:@].*$/, '');
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { labels: { app: name }, name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      strategy: {},
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: images.map((image) => ({
            image,
            name: short(image),
            resources: {},
            ...(port === undefined ? {} : { ports: [{ containerPort: port }] }),
            ...(command.length === 0 ? {} : { command }),
          })),
        },
      },
    },
    status: {},
  };
}
