/** A broken invariant of the model itself: always a defect of ours, never something a user did. */
export class InvariantError extends Error {}

/** Throws InvariantError unless `cond` holds. Stays on in production. */
export function assert(cond: unknown, message: string): asserts cond {
  if (!cond) throw new InvariantError(message);
}

/** Compile-time exhaustiveness check for switch statements over unions. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${JSON.stringify(value)}`);
}
