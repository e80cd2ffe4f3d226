import type { Json } from '../../base';
import type { Cluster } from '../cluster';

export type FaultArgs = { readonly [key: string]: Json | undefined };

/** Something done to a world that is no command line: one file each. Returns an error text, or undefined. */
export interface Fault {
  readonly name: string;
  run(cluster: Cluster, args: FaultArgs): string | undefined;
}

export const text = (args: FaultArgs, key: string): string => {
  const v = args[key];
  return typeof v === 'string' ? v : typeof v === 'number' ? String(v) : '';
};
export const num = (args: FaultArgs, key: string): number => {
  const v = args[key];
  return typeof v === 'number' ? v : Number(v);
};
