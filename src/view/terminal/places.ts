import type { PlaceRef } from '../../session/protocol';
import type { Reads } from '../read';

/** The prompt of a place, without its last blank. */
export function promptOf(place: PlaceRef): string {
  switch (place.kind) {
    case 'workstation':
      return 'workstation:~$';
    case 'pod':
      return `${place.name}:/#`;
    default:
      return `${place.name}:~#`;
  }
}

export const placeKey = (p: PlaceRef): string =>
  p.kind === 'workstation' ? 'workstation' : p.kind === 'pod' ? `pod/${p.namespace}/${p.name}` : `${p.kind}/${p.name}`;

/** Every place that has a terminal, in the order of the list: workstation, nodes, pods, machines outside. */
export function placesOf(reads: Reads): readonly PlaceRef[] {
  return [
    { kind: 'workstation' },
    ...reads.nodes().map((n): PlaceRef => ({ kind: 'node', name: n.name })),
    ...reads.pods().map((p): PlaceRef => ({ kind: 'pod', namespace: p.namespace, name: p.name })),
    ...reads.machines().map((m): PlaceRef => ({ kind: 'machine', name: m.name })),
  ];
}
