import type { Json, WorldReader } from '../../engine/base';
import { getObject, kindDef, listObjects } from '../../engine/k8s';

/** An object of the API as plain data; printers read it by path and tolerate what is missing. */
export type Obj = { readonly [key: string]: Json | undefined };

/** Objects of a kind at a cursor by namespace and name; `namespace` '' lists all. Kinds that the server does not store are empty. */
export function objectsOf(reader: WorldReader, kind: string, namespace: string): readonly Obj[] {
  if (!kindDef(kind)) return [];
  return listObjects(reader, kind, namespace === '' ? undefined : namespace) as unknown as readonly Obj[];
}

export function objectOf(reader: WorldReader, kind: string, namespace: string, name: string): Obj | undefined {
  return getObject(reader, kind, namespace === '' ? undefined : namespace, name) as unknown as Obj | undefined;
}
