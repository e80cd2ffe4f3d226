import type { Message } from '../message';
import { labelsOf } from '../names';
import { type Addr, EAI } from './types';

/** h_errno values by name. */
export type HErr = 'HOST_NOT_FOUND' | 'TRY_AGAIN' | 'NO_RECOVERY' | 'NO_DATA' | 'NETDB_INTERNAL';
type NssStatus = 'SUCCESS' | 'NOTFOUND' | 'UNAVAIL' | 'TRYAGAIN' | 'ERANGE';
export type QType = 'A' | 'AAAA' | 'PTR' | 'BOTH';

/** Answers of one exchange: first and second as they came in; `undefined` for none. */
export interface Answers {
  readonly first: Message | undefined;
  readonly second: Message | undefined;
}
/** Size of one address tuple in getaddrinfo's buffer (bytes). */
const TUPLE = 40;

/** Labels of 1 to 63 bytes, 255 in all: what res_mkquery can encode. */
export function encodable(qname: string): boolean {
  if (qname === '.') return true;
  const labels = labelsOf(qname);
  if (qname.includes('..') || qname.startsWith('.')) return false;
  return labels.every((l) => l.length >= 1 && l.length <= 63) && qname.length <= 254;
}

/** __libc_res_hnok: letters, digits, `-`, `_`, `.`; no label begins with `-`. */
export function validHostname(name: string): boolean {
  if (name === '.' || name === '') return name === '.';
  return (
    /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name) && !name.includes('..') && labelsOf(name).every((l) => l.length <= 63)
  );
}

/** The EAI_ code of an h_errno. */
export function gaiError(h: HErr): number {
  if (h === 'TRY_AGAIN') return EAI.AGAIN;
  if (h === 'NO_DATA') return EAI.NODATA;
  return h === 'NETDB_INTERNAL' ? EAI.SYSTEM : EAI.NONAME;
}

interface Slice {
  readonly status: NssStatus;
  readonly herr: HErr;
  readonly addrs: Addr[];
  readonly canon: string;
}

/** gaih_getanswer: the addresses of both answers, as long as they fit into the caller's buffer. */
export function addresses(r: Answers, size: number, both: boolean): Slice {
  let used = 0;
  let named = false;
  let canon = '';
  const addrs: Addr[] = [];
  const slice = (m: Message): NssStatus => {
    if (m.answer.length === 0) return 'NOTFOUND';
    let have = false;
    let cname = false;
    for (const a of m.answer) {
      if (used + a.name.length + 1 > size) return 'ERANGE';
      if (a.type === 'CNAME') {
        cname = true;
        if (!named) {
          canon = a.rdata.replace(/\.$/, '');
          used += canon.length + 1;
        }
        continue;
      }
      if (a.type !== 'A' && a.type !== 'AAAA') continue;
      if (!named) {
        named = true;
        if (canon === '') {
          canon = a.name.replace(/\.$/, '');
          used += canon.length + 1;
        }
      } else {
        used = Math.ceil(used / 8) * 8 + TUPLE;
        if (used > size) return 'ERANGE';
      }
      addrs.push({ family: a.type === 'A' ? 4 : 6, ip: a.rdata });
      have = true;
    }
    if (have) return 'SUCCESS';
    return cname ? 'NOTFOUND' : 'TRYAGAIN';
  };
  let status: NssStatus = r.first ? slice(r.first) : 'NOTFOUND';
  if (status !== 'ERANGE' && both && r.second) {
    const next = slice(r.second);
    if (status !== 'SUCCESS' && next !== 'NOTFOUND') status = next;
    if (next === 'ERANGE') status = 'ERANGE';
  }
  return { status, herr: status === 'TRYAGAIN' ? 'NETDB_INTERNAL' : 'HOST_NOT_FOUND', addrs, canon };
}
