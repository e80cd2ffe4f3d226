import type { Os, OsProgram } from '../../../engine/dns/os';
import { caresQuery } from '../../../engine/dns/resolver/cares';
import { Glibc } from '../../../engine/dns/resolver/glibc';
import { GoResolver, goErrorText } from '../../../engine/dns/resolver/go';
import { Musl, type MuslVersion } from '../../../engine/dns/resolver/musl';
import type { Family, GaiResult } from '../../../engine/dns/resolver/types';
import type { Task } from '../../../engine/dns/tasks';

/** gai_strerror of the two libraries. */
export const GLIBC_TEXT: Readonly<Record<number, string>> = {
  [-2]: 'Name or service not known',
  [-3]: 'Temporary failure in name resolution',
  [-4]: 'Non-recoverable failure in name resolution',
  [-5]: 'No address associated with hostname',
  [-9]: 'Address family for hostname not supported',
};
const MUSL_TEXT: Readonly<Record<number, string>> = {
  [-2]: 'Name does not resolve',
  [-3]: 'Try again',
  [-4]: 'Non-recoverable error',
  [-5]: 'Name has no usable address',
};

interface Args {
  readonly name: string;
  readonly family: Family;
  readonly repeat: number;
}

function argsOf(argv: readonly string[]): Args {
  const at = argv.indexOf('repeat');
  return {
    name: argv[1] ?? '',
    family: argv.includes('inet') ? 'inet' : argv.includes('inet6') ? 'inet6' : 'unspec',
    repeat: at < 0 ? 1 : Number(argv[at + 1]),
  };
}

type Lookup = (name: string, family: Family) => Task<GaiResult>;

/** The recording's C program: getaddrinfo for SOCK_STREAM, addresses one a line. */
const gai = (make: (sys: Os) => Lookup, text: (code: number) => string, canon: boolean): OsProgram =>
  function* (sys) {
    const { name, family, repeat } = argsOf(sys.argv);
    const lookup = make(sys);
    let failed = false;
    for (let i = 0; i < repeat; i++) {
      const r = yield* lookup(name, family);
      failed = !r.ok;
      if (!r.ok) sys.write(1, `error ${r.code} ${text(r.code)}\n`);
      else
        r.addrs.forEach((a) => {
          sys.write(1, `${a.family === 4 ? 'inet' : 'inet6'} ${a.ip}${canon ? ` canon=${r.canon}` : ''}\n`);
        });
    }
    return failed ? 1 : 0;
  };

const glibc = (sys: Os): Lookup => {
  const libc = new Glibc(sys);
  return (name, family) => libc.getaddrinfo(name, family);
};
const musl =
  (version: MuslVersion) =>
  (sys: Os): Lookup => {
    const libc = new Musl(sys, version);
    return (name, family) => libc.getaddrinfo(name, family);
  };
const muslText =
  (version: MuslVersion) =>
  (code: number): string =>
    code === -5 && version === '1.2.3' ? 'Unknown error' : (MUSL_TEXT[code] ?? 'Unknown error');

const gaiGo: OsProgram = function* (sys) {
  const { name, family } = argsOf(sys.argv);
  const r = yield* new GoResolver(sys).lookupIp(name, family);
  if (r.ok) {
    for (const a of r.addrs) sys.write(1, `${a.ip}\n`);
    return 0;
  }
  const { notFound, timeout, temporary } = r.error;
  const quoted = JSON.stringify(goErrorText(r.error));
  sys.write(1, `error ${quoted} notFound=${notFound} timeout=${timeout} temporary=${temporary}\n`);
  return 1;
};

const python: OsProgram = function* (sys) {
  const r = yield* new Glibc(sys).getaddrinfo(sys.argv[2] ?? '');
  if (r.ok) for (const a of r.addrs) sys.write(1, `${a.family === 4 ? 'AF_INET' : 'AF_INET6'} ${a.ip}\n`);
  else sys.write(1, `gaierror [Errno ${r.code}] ${GLIBC_TEXT[r.code]}\n`);
  return r.ok ? 0 : 1;
};

export const NODE_CODE: Readonly<Record<number, string>> = {
  [-2]: 'ENOTFOUND',
  [-3]: 'EAI_AGAIN',
  [-4]: 'EAI_FAIL',
  [-5]: 'ENOTFOUND',
};

const node: OsProgram = function* (sys) {
  const name = sys.argv[2] ?? '';
  if (sys.argv[1] === 'resolve4.js') {
    const r = yield* caresQuery(sys, name, 'A');
    if (r.ok) for (const a of r.msg.answer) if (a.type === 'A') sys.write(1, `${a.rdata}\n`);
    if (!r.ok) sys.write(1, `${r.code} queryA ${r.code} ${name}\n`);
    return r.ok ? 0 : 1;
  }
  const r = yield* new Glibc(sys).getaddrinfo(name);
  if (r.ok) for (const a of r.addrs) sys.write(1, `inet${a.family === 6 ? '6' : ''} ${a.ip}\n`);
  else {
    const code = NODE_CODE[r.code] ?? 'ENOTFOUND';
    sys.write(1, `${code} getaddrinfo ${code} ${name}\n`);
  }
  return r.ok ? 0 : 1;
};

/** The programs with which the resolvers were recorded. */
export const GAI_PROGRAMS: Readonly<Record<string, OsProgram>> = {
  'gai-glibc': gai(glibc, (c) => GLIBC_TEXT[c] ?? '', false),
  'gai-musl': gai(musl('1.2.3'), muslText('1.2.3'), true),
  'gai-musl125': gai(musl('1.2.5'), muslText('1.2.5'), true),
  'gai-go': gaiGo,
  python3: python,
  node,
};
