import { canonicalIp, parseIpv4, parseIpv6 } from '../../base/ip';
import { reverseName } from '../names';
import type { Os, OsProgram } from '../os';
import { Glibc } from '../resolver/glibc';
import { hostsNames } from '../resolver/hosts';
import type { Family } from '../resolver/types';
import type { Task } from '../tasks';

const NOT_FOUND = 2;
const FAMILY: Readonly<Record<string, Family>> = { ahosts: 'unspec', ahostsv4: 'inet', ahostsv6: 'inet6' };

/** getent(1) of glibc for the databases hosts, ahosts, ahostsv4 and ahostsv6. */
export const getent: OsProgram = function* (sys) {
  const [, database, ...keys] = sys.argv;
  if (database === undefined) {
    sys.write(2, "getent: wrong number of arguments\nTry `getent --help' or `getent --usage' for more information.\n");
    return 1;
  }
  const family = FAMILY[database];
  if (database !== 'hosts' && family === undefined) {
    sys.write(2, `Unknown database: ${database}\nTry \`getent --help' or \`getent --usage' for more information.\n`);
    return 1;
  }
  const libc = new Glibc(sys);
  let exit = 0;
  for (const key of keys) {
    const found = family === undefined ? yield* hosts(sys, libc, key) : yield* ahosts(sys, libc, key, family);
    if (!found) exit = NOT_FOUND;
  }
  return exit;
};

function* ahosts(sys: Os, libc: Glibc, key: string, family: Family): Task<boolean> {
  const r = yield* libc.getaddrinfo(key, family);
  if (!r.ok) return false;
  r.addrs.forEach((a, i) => {
    ['STREAM', 'DGRAM', 'RAW'].forEach((type, k) => {
      const canon = i === 0 && k === 0 ? r.canon : '';
      sys.write(1, `${a.ip.padEnd(15)} ${type.padEnd(6)} ${canon}\n`);
    });
  });
  return true;
}

/** gethostbyname2 for IPv6, then for IPv4; gethostbyaddr for addresses. */
function* hosts(sys: Os, libc: Glibc, key: string): Task<boolean> {
  const ip = canonicalIp(key);
  if (ip !== undefined) {
    const names = hostsNames(sys.readFile('/etc/hosts') ?? '', ip);
    const name = names.length > 0 ? names.join(' ') : yield* libc.reverse(reverseName(parseIpv6(ip), parseIpv4(ip)));
    if (name === undefined) return false;
    sys.write(1, `${ip.padEnd(15)} ${name}\n`);
    return true;
  }
  for (const family of ['inet6', 'inet'] as const) {
    const r = yield* libc.gethostbyname2(key, family);
    if ('herr' in r) continue;
    for (const a of r.addrs) {
      const names = [r.canon, ...r.aliases].join(' ');
      sys.write(1, `${a.ip.padEnd(15)} ${names}\n`);
    }
    return r.addrs.length > 0;
  }
  return false;
}
