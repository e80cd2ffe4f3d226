import type { PrngStream } from '../../base/prng';

/** --service-node-port-range. */
export const NODE_PORTS = { first: 30000, last: 32767 } as const;
const SIZE = NODE_PORTS.last - NODE_PORTS.first + 1;
/** KEP-3668: the first 86 ports are kept for ports asked for by number. */
const STATIC_BAND = 86;

export const NODE_PORT_RANGE_TEXT = `${NODE_PORTS.first}-${NODE_PORTS.last}`;

/** Why a requested port cannot be had, in the allocator's words; undefined when it can. */
export function refusePort(port: number, taken: (port: number) => boolean): string | undefined {
  if (port < NODE_PORTS.first || port > NODE_PORTS.last) {
    return `provided port is not in the valid range. The range of valid ports is ${NODE_PORT_RANGE_TEXT}`;
  }
  return taken(port) ? 'provided port is already allocated' : undefined;
}

/** A free port: a random one of the dynamic band, the static band only when that is full. */
export function allocatePort(stream: PrngStream, taken: (port: number) => boolean): number | undefined {
  const scan = (first: number, count: number): number | undefined => {
    const start = stream.below(count);
    for (let i = 0; i < count; i++) {
      const port = first + ((start + i) % count);
      if (!taken(port)) return port;
    }
    return undefined;
  };
  return scan(NODE_PORTS.first + STATIC_BAND, SIZE - STATIC_BAND) ?? scan(NODE_PORTS.first, STATIC_BAND);
}
