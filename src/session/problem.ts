import type { SessionError } from './protocol';

/** A clear refusal: what was wrong, where, what was expected. The world is as it was. */
export class SessionProblem extends Error {
  constructor(readonly error: SessionError) {
    super(error.message);
  }
}
