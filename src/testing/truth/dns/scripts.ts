import type { OsProgram } from '../../../engine/dns/os';
import { caresQuery } from '../../../engine/dns/resolver/cares';
import { Glibc } from '../../../engine/dns/resolver/glibc';
import { GLIBC_TEXT, NODE_CODE } from './gai';

const TRACEBACK = `Traceback (most recent call last):
  File "<string>", line 1, in <module>
  File "/usr/lib/python3.11/socket.py", line 962, in getaddrinfo
    for res in _socket.getaddrinfo(host, port, family, type, proto, flags):
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
`;
const IDNA = `Traceback (most recent call last):
  File "/usr/lib/python3.11/encodings/idna.py", line 163, in encode
    raise UnicodeError("label empty or too long")
UnicodeError: label empty or too long

The above exception was the direct cause of the following exception:

`;

/** `python3 -c "import socket; socket.getaddrinfo('NAME', 80)"`. */
export const python: OsProgram = function* (sys) {
  const name = /getaddrinfo\('([^']*)'/.exec(sys.argv.join(' '))?.[1] ?? '';
  const labels = name.replace(/\.$/, '').split('.');
  if (labels.some((l) => l === '' || l.length > 63)) {
    const text = "UnicodeError: encoding with 'idna' codec failed (UnicodeError: label empty or too long)";
    sys.write(2, `${IDNA}${TRACEBACK}${text}\n`);
    return 1;
  }
  const r = yield* new Glibc(sys).getaddrinfo(name);
  if (r.ok) return 0;
  sys.write(2, `${TRACEBACK}socket.gaierror: [Errno ${r.code}] ${GLIBC_TEXT[r.code]}\n`);
  return 1;
};

/** `node -e "require('dns').lookup('NAME', ...)"` or resolve4, with a callback that prints code and message or addresses. */
export const node: OsProgram = function* (sys) {
  const script = sys.argv.join(' ');
  const call = /\.(lookup|resolve4)\('([^']*)'/.exec(script);
  const name = call?.[2] ?? '';
  const addresses = script.includes('e&&e.code');
  let code: string | undefined;
  let found = '';
  if (call?.[1] === 'resolve4') {
    const r = yield* caresQuery(sys, name, 'A');
    if (r.ok) found = `[ ${r.msg.answer.flatMap((a) => (a.type === 'A' ? [`'${a.rdata}'`] : [])).join(', ')} ]`;
    else code = r.code;
  } else {
    const r = yield* new Glibc(sys).getaddrinfo(name);
    if (r.ok) found = r.addrs[0]?.ip ?? '';
    else code = NODE_CODE[r.code] ?? 'ENOTFOUND';
  }
  const what = call?.[1] === 'resolve4' ? 'queryA' : 'getaddrinfo';
  if (addresses) sys.write(1, code === undefined ? `null ${found}\n` : `${code} undefined\n`);
  else if (code !== undefined) sys.write(1, `${code} ${what} ${code} ${name}\n`);
  return 0;
};
