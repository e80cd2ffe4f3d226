import type { Message } from '../../../engine/dns';
import type { Payload } from '../../../engine/net';

const OPS: Readonly<Record<string, string>> = {
  QUERY: '',
  IQUERY: ' inv_q',
  STATUS: ' stat',
  NOTIFY: ' notify',
  UPDATE: ' update',
};
/** Response codes as print-domain.c names them. */
const RESPONSES: Readonly<Record<string, string>> = {
  NOERROR: '',
  FORMERR: ' FormErr',
  SERVFAIL: ' ServFail',
  NXDOMAIN: ' NXDomain',
  NOTIMP: ' NotImp',
  REFUSED: ' Refused',
};

const isMessage = (app: unknown): app is Message =>
  typeof app === 'object' && app !== null && 'question' in app && 'rcode' in app;

const text = (r: { name: string; type: string; rdata: string }): string =>
  r.type === 'SOA' ? 'SOA' : `${r.type} ${r.rdata}`;

/** A DNS message in one line (print-domain.c); undefined when the payload is none. */
export function dnsText(payload: Payload, verbose: number): string | undefined {
  const m: unknown = payload.app;
  if (!isMessage(m)) return undefined;
  const q = m.question[0];
  const asked = q ? `${q.type}${q.class === 'IN' ? '' : ` (Class ${q.class})`}? ${q.name}` : '';
  const extra = m.additional.length + (m.edns ? 1 : 0);
  if (!m.qr) {
    const flags = `${m.rd ? '+' : ''}${m.cd ? '%' : ''}`;
    const counts = `${m.answer.length > 0 ? ` [${m.answer.length}a]` : ''}${m.authority.length > 0 ? ` [${m.authority.length}n]` : ''}${extra > 0 ? ` [${extra}au]` : ''}`;
    return `${m.id}${OPS[m.opcode] ?? ''}${flags}${counts} ${asked} (${payload.len})`;
  }
  const flags = `${m.aa ? '*' : ''}${m.ra ? '' : '-'}${m.tc ? '|' : ''}${m.ad ? '$' : ''}`;
  const head = `${m.id}${OPS[m.opcode] ?? ''}${RESPONSES[m.rcode] ?? ` ${m.rcode}`}${flags}`;
  const question = verbose > 1 ? ` q: ${asked}` : '';
  const answers = m.answer.map((r) => (verbose > 0 ? `${r.name} ${text(r)}` : text(r))).join(', ');
  return `${head}${question} ${m.answer.length}/${m.authority.length}/${extra}${answers === '' ? '' : ` ${answers}`} (${payload.len})`;
}
