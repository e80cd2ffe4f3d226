import type { Cluster } from '../cluster';
import { type Fault, type FaultArgs, text } from './fault';

const place = (args: FaultArgs): string => text(args, 'place') || text(args, 'node');
const failed = (r: { ok: boolean; error?: string }): string | undefined => (r.ok ? undefined : r.error);

export const routeReplace: Fault = {
  name: 'route-replace',
  run(cluster, args) {
    const dst = text(args, 'dst');
    const spec = args.blackhole ? { dst, kind: 'blackhole' as const } : { dst, via: text(args, 'via') };
    return failed(cluster.net.links.addRoute(place(args), spec, true));
  },
};

export const routeDel: Fault = {
  name: 'route-del',
  run: (cluster, args) => failed(cluster.net.links.delRoute(place(args), { dst: text(args, 'dst') })),
};

export const routeDelDefault: Fault = {
  name: 'route-del-default',
  run: (cluster, args) => failed(cluster.net.links.delRoute(place(args), { dst: 'default' })),
};

export const routeAddDefault: Fault = {
  name: 'route-add-default',
  run: (cluster, args) => failed(cluster.net.links.addRoute(place(args), { dst: 'default', via: text(args, 'via') })),
};

const cut = (address: string): { ip: string; prefix: number } => {
  const [ip = '', prefix = '32'] = address.split('/');
  return { ip, prefix: Number(prefix) };
};
const dev = (_: Cluster, args: FaultArgs): string => `${place(args)}:${text(args, 'dev')}`;

export const addressAdd: Fault = {
  name: 'address-add',
  run(cluster, args) {
    const { ip, prefix } = cut(text(args, 'address'));
    return failed(cluster.net.links.addAddress(dev(cluster, args), ip, prefix));
  },
};

export const addressDel: Fault = {
  name: 'address-del',
  run(cluster, args) {
    const { ip, prefix } = cut(text(args, 'address'));
    return failed(cluster.net.links.delAddress(dev(cluster, args), ip, prefix));
  },
};
