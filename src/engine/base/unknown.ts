/**
 * A value of an imported world that the dump did not tell. Worlds that the product builds itself hold none.
 * A walk that needs an unknown value says which one and goes on under a stated assumption, never a silent default.
 */
export interface Unknown {
  readonly unknown: true;
  /** What was not told, e.g. "sysctl net.ipv4.ip_forward of node-1". */
  readonly what: string;
}

export type Maybe<T> = T | Unknown;

export const unknown = (what: string): Unknown => ({ unknown: true, what });

export function isUnknown(value: unknown): value is Unknown {
  return typeof value === 'object' && value !== null && (value as { unknown?: unknown }).unknown === true;
}

/** Something that wants to hear of assumptions: the recorder emits an `assumed` event for each. */
export interface AssumptionSink {
  assumed(what: string, assumption: string): void;
}

/** The known value, or `assumption` after telling the sink that it was assumed. */
export function assume<T extends string | number | boolean>(value: Maybe<T>, assumption: T, sink: AssumptionSink): T {
  if (!isUnknown(value)) return value;
  sink.assumed(value.what, String(assumption));
  return assumption;
}
