import { Session } from './core';
import { hasParts, provideParts } from './late';
import { SessionProblem } from './problem';
import type { FromWorker, Recipe, SessionError, ToWorker } from './protocol';

/** Events a message holds at most, so that a long trace arrives in pieces the page can take without a stutter. */
const BATCH = 2000;

/**
 * Serves one session over messages: the worker's inside, and the whole of it for tests and for pages without workers.
 * A command runs to its end before the next is looked at; `cancel` ends the worker from outside.
 */
export class Host {
  private session: Session | undefined;
  private sentEvents = 0;
  private sentSpans = 0;
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly send: (m: FromWorker) => void) {}

  /** Takes a message; messages are served one after the other, in the order in which they came. */
  receive(m: ToWorker): void {
    this.queue = this.queue.then(() => this.serve(m));
  }

  private async serve(m: ToWorker): Promise<void> {
    try {
      if (!hasParts() && needsParts(m)) provideParts((await import('./parts')).PARTS);
      const value = this.answer(m);
      this.append();
      this.send({ type: 'reply', id: m.id, ok: true, value });
    } catch (e) {
      if (this.session) this.append();
      this.send({ type: 'reply', id: m.id, ok: false, error: errorOf(e) });
    }
  }

  private answer(m: ToWorker): unknown {
    switch (m.type) {
      case 'open':
        return this.start(m.id, m.recipe);
      case 'do':
        return this.live().do(m.command);
      case 'peek':
        return this.live().peek(m.cursor, m.command);
      case 'fork': {
        const forked = this.live().fork(m.cursor);
        this.session = forked.session;
        this.sentEvents = 0;
        this.sentSpans = 0;
        return { cursor: forked.cursor, recipe: forked.session.recipe };
      }
      case 'hash':
        return this.live().hash();
      case 'complete':
        return this.live().complete(m.place, m.line, m.cursor);
      case 'cancel':
        return null;
    }
  }

  private start(id: number, recipe: Recipe): unknown {
    // The new world is built before the old one is let go: a recipe that does not open loses nothing.
    const session = Session.open(recipe, (done, total) =>
      this.send({ type: 'progress', id, what: 'open', done, total }),
    );
    this.session = session;
    this.sentEvents = 0;
    this.sentSpans = 0;
    return { origin: session.origin, lastOutcome: session.lastOutcome };
  }

  private live(): Session {
    if (!this.session) throw new SessionProblem({ code: 'session.none', message: 'no session is open' });
    return this.session;
  }

  private append(): void {
    const s = this.session;
    if (!s) return;
    const { events, spans } = s.trace;
    while (this.sentEvents < events.length || this.sentSpans < spans.length) {
      const upTo = Math.min(events.length, this.sentEvents + BATCH);
      this.send({ type: 'append', events: events.slice(this.sentEvents, upTo), spans: spans.slice(this.sentSpans) });
      this.sentEvents = upTo;
      this.sentSpans = spans.length;
    }
  }
}

/** Whether a message may come to a command, a late program or YAML: those parts are loaded first. */
function needsParts(m: ToWorker): boolean {
  if (m.type === 'open') {
    const { commands, cluster } = m.recipe;
    const plain = (cluster.manifests ?? '[{').startsWith('[{') && (cluster.proxyMode ?? 'iptables') === 'iptables';
    return commands.length > 0 || !plain;
  }
  return m.type !== 'hash' && m.type !== 'cancel';
}

function errorOf(e: unknown): SessionError {
  if (e instanceof SessionProblem) return e.error;
  return { code: 'session.defect', message: e instanceof Error ? e.message : String(e) };
}
