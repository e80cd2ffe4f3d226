import type { Message } from '../message';

/** A name as BIND's tools print it in sentences: without its final dot. */
export const unrooted = (name: string): string => (name === '.' ? name : name.replace(/\.$/, ''));

/** The name at the end of the aliases of an answer (chase_cnamechain). */
export function chase(m: Message, name: string): string {
  let at = name.toLowerCase();
  for (const rr of m.answer) {
    if (rr.type === 'CNAME' && rr.name.toLowerCase() === at) at = rr.rdata.toLowerCase();
  }
  return at === name.toLowerCase() ? name : (m.answer.find((r) => r.rdata.toLowerCase() === at)?.rdata ?? at);
}
