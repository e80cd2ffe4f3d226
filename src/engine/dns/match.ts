import type { Message } from './message';

/** True when an answer belongs to a query: the same single question, QR set. */
export function matchesQuery(query: Message, reply: Message): boolean {
  const q = query.question[0];
  const a = reply.question[0];
  if (!q || !a || reply.question.length !== 1 || !reply.qr) return false;
  return a.name.toLowerCase() === q.name.toLowerCase() && a.type === q.type && a.class === q.class;
}
