import type { Message, RR } from '../message';

/** How CoreDNS classifies an answer (plugin/pkg/response). */
export type ResponseType =
  | 'NOERROR'
  | 'NXDOMAIN'
  | 'SERVERERROR'
  | 'NODATA'
  | 'DELEGATION'
  | 'META'
  | 'UPDATE'
  | 'OTHERERROR';

export function typify(m: Message | undefined): ResponseType {
  if (!m) return 'OTHERERROR';
  if (m.opcode === 'UPDATE') return 'UPDATE';
  if (m.opcode === 'NOTIFY') return 'META';
  const type = m.question[0]?.type;
  if (type === 'AXFR' || type === 'IXFR') return 'META';
  if (m.answer.length > 0 && m.rcode === 'NOERROR') return 'NOERROR';
  if (m.answer.length > 0 && m.rcode === 'NXDOMAIN') return 'OTHERERROR';
  const soa = hasSoa(m);
  if (soa && m.rcode === 'NOERROR') return 'NODATA';
  if (m.rcode === 'NXDOMAIN') return 'NXDOMAIN';
  if (m.rcode === 'SERVFAIL' || m.rcode === 'NOTIMP') return 'SERVERERROR';
  if (m.authority.some((r) => r.type === 'NS') && m.rcode === 'NOERROR') return 'DELEGATION';
  return m.rcode === 'NOERROR' ? 'NOERROR' : 'OTHERERROR';
}

export type ResponseClass = 'all' | 'success' | 'denial' | 'error';
export function classify(t: ResponseType): ResponseClass {
  if (t === 'NOERROR' || t === 'DELEGATION') return 'success';
  return t === 'NXDOMAIN' || t === 'NODATA' ? 'denial' : 'error';
}

export const hasSoa = (m: Message): boolean => m.authority.some((r) => r.type === 'SOA');

const classMatches = (r: RR, qclass: string): boolean => qclass === 'ANY' || r.class === qclass;
const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The one CNAME target of an owner: '' when it has none, undefined when it has several. */
function cnameTarget(answer: readonly RR[], owner: string, qclass: string): string | undefined {
  let target = '';
  for (const r of answer) {
    if (r.type !== 'CNAME' || !classMatches(r, qclass) || !same(r.name, owner)) continue;
    if (target !== '' && !same(target, r.rdata)) return undefined;
    target = r.rdata;
  }
  return target;
}

/** True when a NOERROR answer holds a record of the asked type at the end of its CNAME chain (RFC 1034 3.6.2). */
export function answersQuestion(m: Message): boolean {
  const q = m.question[0];
  if (m.rcode !== 'NOERROR' || !q || m.answer.length === 0) return false;
  if (q.type === 'ANY') return m.answer.some((r) => classMatches(r, q.class) && same(r.name, q.name));
  if (q.type === 'CNAME') return (cnameTarget(m.answer, q.name, q.class) ?? '') !== '';
  let name = q.name;
  const seen = new Set<string>();
  for (;;) {
    const key = name.toLowerCase();
    if (seen.has(key)) return false;
    seen.add(key);
    const target = cnameTarget(m.answer, name, q.class);
    if (target === undefined) return false;
    if (target === '') break;
    name = target;
  }
  return m.answer.some((r) => r.type === q.type && classMatches(r, q.class) && same(r.name, name));
}

/** An answer section that does not answer: a CNAME that leads nowhere. */
export const isNoData = (m: Message): boolean => m.answer.length > 0 && !answersQuestion(m);

export { matchesQuery } from '../match';
