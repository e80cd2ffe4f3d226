import { Glibc } from '../dns/resolver/glibc';
import { hostsNames } from '../dns/resolver/hosts';
import { Musl } from '../dns/resolver/musl';
import { EAI } from '../dns/resolver/types';
import { type Blocking, wait } from './blocking';
import { MUSL_LOADER } from './loader';
import type { Sys, Wait } from './process';

/** getaddrinfo(3) failures by their constants. */
export type EaiError = 'EAI_NONAME' | 'EAI_AGAIN' | 'EAI_NODATA';

/** gai_strerror(3) of glibc. */
export const gaiStrerror: Readonly<Record<EaiError, string>> = {
  EAI_NONAME: 'Name or service not known',
  EAI_AGAIN: 'Temporary failure in name resolution',
  EAI_NODATA: 'No address associated with hostname',
};

export type Resolved =
  | { readonly ok: true; readonly addrs: readonly string[]; readonly canonical: string }
  | { readonly ok: false; readonly error: EaiError }
  /** The caller's deadline passed first. */
  | { readonly ok: false; readonly error: 'deadline' };

/**
 * getaddrinfo(3) of the C library for a program that may give up: `deadlineUs` is the absolute time at which it does
 * (curl asks in a thread of its own and stops waiting for it).
 */
export function* resolve(sys: Sys, name: string, deadlineUs?: number): Blocking<Resolved> {
  const libc = sys.readFile(MUSL_LOADER) === undefined ? new Glibc(sys) : new Musl(sys, '1.2.5');
  const lookup = libc.getaddrinfo(name);
  let step = lookup.next({ kind: 'timeout' });
  while (!step.done) {
    const asked = step.value;
    const left = deadlineUs === undefined ? undefined : Math.max(0, deadlineUs - sys.nowUs);
    const cut = left !== undefined && longer(asked, left);
    const wake = yield* wait(cut ? shortened(asked, left) : asked);
    if (cut && wake.kind === 'timeout') return { ok: false, error: 'deadline' };
    step = lookup.next(wake);
  }
  const r = step.value;
  if (r.ok) return { ok: true, addrs: r.addrs.map((a) => a.ip), canonical: r.canon };
  return { ok: false, error: r.code === EAI.AGAIN ? 'EAI_AGAIN' : r.code === EAI.NODATA ? 'EAI_NODATA' : 'EAI_NONAME' };
}

const limitOf = (w: Wait): number | undefined =>
  w.kind === 'sleep' ? w.us : w.kind === 'poll' ? w.timeoutUs : undefined;
const longer = (w: Wait, us: number): boolean => (limitOf(w) ?? Number.MAX_SAFE_INTEGER) > us;
const shortened = (w: Wait, us: number): Wait =>
  w.kind === 'poll' ? { ...w, timeoutUs: us } : w.kind === 'sleep' ? { ...w, us } : w;

/** getnameinfo(3): the name of an IPv4 address by hosts file and PTR record, or undefined. */
export function* reverse(sys: Sys, ip: string): Blocking<string | undefined> {
  const [host] = hostsNames(sys.readFile('/etc/hosts') ?? '', ip);
  if (host !== undefined) return host;
  return yield* new Glibc(sys).reverse(`${ip.split('.').reverse().join('.')}.in-addr.arpa`);
}
