import type { Message } from '../message';
import type { Os } from '../os';

const bare = (name: string): string => (name === '.' ? name : name.replace(/\.$/, ''));

/** Tells the trace which names a lookup will try. */
export function tellLookup(sys: Os, name: string, candidates: readonly string[]): void {
  sys.lookup({ kind: 'lookup', facts: { name, candidates } });
}

/** Tells the trace of a query on its way to a server. */
export function tellQuery(sys: Os, q: Message, server: string): void {
  const { name = '.', type = '' } = q.question[0] ?? {};
  sys.lookup({ kind: 'query', facts: { name: bare(name), type, server, id: q.id } });
}

/** Tells the trace of an answer that the resolver took. */
export function tellAnswer(sys: Os, m: Message): void {
  const { name = '.', type = '' } = m.question[0] ?? {};
  const answers = m.answer.map((a) => a.rdata);
  sys.lookup({ kind: 'answer', facts: { name: bare(name), type, rcode: m.rcode, answers, id: m.id } });
}
