import type { Json } from '../../base';
import type { PatchType } from '../../k8s';
import { type Fault, type FaultArgs, text } from './fault';

const namespace = (args: FaultArgs): string | undefined => text(args, 'namespace') || undefined;

/** API delete; graceSeconds 0: gone at once. */
export const apiDelete: Fault = {
  name: 'delete',
  run(cluster, args) {
    const grace = typeof args.graceSeconds === 'number' ? { graceSeconds: args.graceSeconds } : {};
    const r = cluster.api.delete(text(args, 'kind'), namespace(args), text(args, 'name'), { by: 'kubectl', ...grace });
    return r.ok ? undefined : r.error.message;
  },
};

const patcher = (name: string, subresource?: 'status'): Fault => ({
  name,
  run(cluster, args) {
    const type = (text(args, 'type') || 'merge') as PatchType;
    const options = subresource ? { by: 'kubectl', subresource } : { by: 'kubectl' };
    const patch = (args.patch ?? {}) as Json;
    const r = cluster.api.patch(text(args, 'kind'), namespace(args), text(args, 'name'), type, patch, options);
    return r.ok ? undefined : r.error.message;
  },
});

export const apiPatch = patcher('patch');
export const apiPatchStatus = patcher('patch-status', 'status');
