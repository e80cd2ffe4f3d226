import type { WorldReader } from '../../engine/base';
import { timestamp } from '../../engine/k8s';
import { parseRfc3339 } from './time';

/** Seconds since 1970 at a reader's cursor: the wall clock of all machines is the simulated one. */
export function nowSeconds(reader: WorldReader): number {
  return parseRfc3339(timestamp(reader.nowUs)) ?? 0;
}
