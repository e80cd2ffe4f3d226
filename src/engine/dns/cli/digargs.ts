import { parseIpv4, parseIpv6 } from '../../base/ip';
import { CLASSES, type Edns, typeNumber } from '../message';
import { reverseName } from '../names';

/** One look-up of a dig command line, with its own options. */
export interface DigLookup {
  name: string;
  type: string;
  cls: string;
  typeSet: boolean;
  tcp: boolean;
  tcpSet: boolean;
  ignoreTc: boolean;
  rd: boolean;
  ad: boolean;
  cd: boolean;
  aa: boolean;
  dnssec: boolean;
  /** Undefined: no OPT record. */
  edns: number | undefined;
  bufsize: number;
  cookie: boolean;
  search: boolean;
  searchSet: boolean;
  showSearch: boolean;
  ndots: number | undefined;
  domain: string | undefined;
  servfailStops: boolean;
  timeUs: number | undefined;
  tries: number | undefined;
  short: boolean;
  comments: boolean;
  question: boolean;
  answer: boolean;
  authority: boolean;
  additional: boolean;
  stats: boolean;
  identify: boolean;
  trace: boolean;
  multiline: boolean;
  ttl: boolean;
  cls_: boolean;
  servers: string[];
  port: number;
  /** -b: the address and port to ask from; port 0: any. */
  local: { readonly ip: string; readonly port: number } | undefined;
}

export interface DigArgs {
  readonly lookups: DigLookup[];
  /** +cmd: the first line of the output. */
  readonly printCmd: boolean;
}

export type DigParse =
  | { readonly kind: 'run'; readonly args: DigArgs }
  | { readonly kind: 'exit'; readonly code: number; readonly stdout?: string; readonly stderr?: string };

export const DIG_VERSION = '9.18.49-1~deb12u3-Debian';

const USAGE = `Usage:  dig [@global-server] [domain] [q-type] [q-class] {q-opt}
            {global-d-opt} host [@local-server] {local-d-opt}
            [ host [@local-server] {local-d-opt} [...]]

Use "dig -h" (or "dig -h | more") for complete list of options
`;

const DEFAULTS: DigLookup = {
  name: '.',
  type: 'A',
  cls: 'IN',
  typeSet: false,
  tcp: false,
  tcpSet: false,
  ignoreTc: false,
  rd: true,
  ad: true,
  cd: false,
  aa: false,
  dnssec: false,
  edns: 0,
  bufsize: 1232,
  cookie: true,
  search: false,
  searchSet: false,
  showSearch: false,
  ndots: undefined,
  domain: undefined,
  servfailStops: true,
  timeUs: undefined,
  tries: undefined,
  short: false,
  comments: true,
  question: true,
  answer: true,
  authority: true,
  additional: true,
  stats: true,
  identify: false,
  trace: false,
  multiline: false,
  ttl: true,
  cls_: true,
  servers: [],
  port: 53,
  local: undefined,
};

export function typeWord(word: string): string | undefined {
  const t = word.toUpperCase();
  return /^(TYPE\d+|[A-Z0-9]+)$/.test(t) && !Number.isNaN(typeNumber(t)) && !/^\d/.test(t) && t !== '' ? t : undefined;
}

/** The EDNS record of a look-up, with a fresh cookie. */
export function ednsOf(l: DigLookup, cookieHex: string): Edns | undefined {
  if (l.edns === undefined) return undefined;
  const options = l.cookie ? [{ code: 10, len: 8, text: cookieHex }] : [];
  return { udp: l.bufsize, do: l.dnssec, version: l.edns, options };
}

/** dig's command line (bin/dig/dig.c parse_args): options before the first name hold for all names. */
export function parseDig(argv: readonly string[]): DigParse {
  const base: DigLookup = { ...DEFAULTS, servers: [] };
  const lookups: DigLookup[] = [];
  const flags = { printCmd: true };
  let warnings = '';
  const current = (): DigLookup => lookups[lookups.length - 1] ?? base;
  const add = (name: string): DigLookup => {
    const l = { ...base, servers: [...base.servers], name };
    lookups.push(l);
    return l;
  };
  const setType = (l: DigLookup, t: string): void => {
    l.type = t.startsWith('IXFR=') ? 'IXFR' : t;
    l.typeSet = true;
  };
  const words = argv.slice(1);
  for (let i = 0; i < words.length; i++) {
    const w = words[i] as string;
    if (w.startsWith('@')) current().servers.push(w.slice(1));
    else if (w.startsWith('+')) {
      if (!plusOption(w.slice(1), current(), flags))
        return { kind: 'exit', code: 1, stderr: `Invalid option: ${w}\n${USAGE}` };
    } else if (w.startsWith('-') && w.length > 1) {
      const letter = w[1] as string;
      if (letter === 'v') return { kind: 'exit', code: 0, stderr: `DiG ${DIG_VERSION}\n` };
      if (letter === 'h') return { kind: 'exit', code: 0, stdout: USAGE };
      if ('46irmu'.includes(letter)) continue;
      const value = w.length > 2 ? w.slice(2) : words[++i];
      if (value === undefined || !'bcfkpqtxy'.includes(letter))
        return { kind: 'exit', code: 1, stderr: `Invalid option: ${w}\n${USAGE}` };
      if (letter === 'x') {
        const l = add(reverseArg(value));
        if (!l.typeSet) setType(l, 'PTR');
      } else if (letter === 'q') add(value);
      else if (letter === 'b') {
        const [ip = '', port = '0'] = value.split('#');
        current().local = { ip, port: Number(port) };
      } else if (letter === 'p') current().port = Number(value);
      else if (letter === 'c') current().cls = value.toUpperCase();
      else if (letter === 't') {
        const t = typeWord(value);
        if (t) setType(current(), t);
        else warnings += `;; Warning, ignoring invalid type ${value}\n`;
      }
    } else {
      const l = current();
      const t = typeWord(w);
      if (t !== undefined || /^ixfr=/i.test(w)) setType(l, t ?? w.toUpperCase());
      else if (CLASSES[w.toUpperCase()] !== undefined) l.cls = w.toUpperCase();
      else add(w);
    }
  }
  if (lookups.length === 0) {
    const l = add('.');
    if (!l.typeSet) setType(l, 'NS');
  }
  for (const l of lookups) {
    if (l.type === 'AXFR' || l.type === 'IXFR' || (l.type === 'ANY' && !l.tcpSet)) l.tcp = true;
  }
  if (warnings !== '') return { kind: 'exit', code: 1, stderr: warnings };
  return { kind: 'run', args: { lookups, printCmd: flags.printCmd } };
}

function reverseArg(text: string): string {
  const v4 = parseIpv4(text);
  const v6 = parseIpv6(text);
  if (v4 !== undefined || v6) return reverseName(v6, v4);
  const octets = text.split('.');
  return `${octets.reverse().join('.')}.in-addr.arpa.`;
}

type Setter = (l: DigLookup, on: boolean, value: string | undefined, flags: { printCmd: boolean }) => void;

const seconds = (v: string | undefined): number => Math.max(1, Number.parseInt(v ?? '1', 10) || 1) * 1_000_000;
const count = (v: string | undefined): number => Math.max(1, Number.parseInt(v ?? '1', 10) || 1);

/** Query options by name; a name may be shortened to the letters that tell it apart, as far as people do that. */
const PLUS: Readonly<Record<string, Setter>> = {
  aaflag: (l, on) => {
    l.aa = on;
  },
  aaonly: (l, on) => {
    l.aa = on;
  },
  additional: (l, on) => {
    l.additional = on;
  },
  adflag: (l, on) => {
    l.ad = on;
  },
  all: (l, on, _v, flags) => {
    l.comments = on;
    l.question = on;
    l.answer = on;
    l.authority = on;
    l.additional = on;
    l.stats = on;
    flags.printCmd = on;
  },
  answer: (l, on) => {
    l.answer = on;
  },
  authority: (l, on) => {
    l.authority = on;
  },
  bufsize: (l, _on, v) => {
    l.bufsize = Number.parseInt(v ?? '1232', 10) || 0;
    l.edns ??= 0;
  },
  cdflag: (l, on) => {
    l.cd = on;
  },
  class: (l, on) => {
    l.cls_ = on;
  },
  cmd: (_l, on, _v, flags) => {
    flags.printCmd = on;
  },
  comments: (l, on) => {
    l.comments = on;
  },
  cookie: (l, on) => {
    l.cookie = on;
    if (on) l.edns ??= 0;
  },
  defname: (l, on) => {
    l.search = on;
    l.searchSet = true;
  },
  dnssec: (l, on) => {
    l.dnssec = on;
    if (on) l.edns ??= 0;
  },
  domain: (l, on, v) => {
    l.domain = on ? v : undefined;
    l.search = on;
    l.searchSet = true;
  },
  edns: (l, on, v) => {
    l.edns = on ? Number.parseInt(v ?? '0', 10) : undefined;
  },
  fail: (l, on) => {
    l.servfailStops = on;
  },
  identify: (l, on) => {
    l.identify = on;
  },
  ignore: (l, on) => {
    l.ignoreTc = on;
  },
  multiline: (l, on) => {
    l.multiline = on;
  },
  ndots: (l, _on, v) => {
    l.ndots = Number.parseInt(v ?? '1', 10) || 0;
  },
  question: (l, on) => {
    l.question = on;
  },
  recurse: (l, on) => {
    l.rd = on;
  },
  retry: (l, _on, v) => {
    l.tries = count(v) + 1;
  },
  search: (l, on) => {
    l.search = on;
    l.searchSet = true;
  },
  short: (l, on, _v, flags) => {
    l.short = on;
    if (!on) return;
    flags.printCmd = false;
    l.comments = false;
    l.question = false;
    l.authority = false;
    l.additional = false;
    l.stats = false;
    l.answer = true;
  },
  showsearch: (l, on) => {
    l.showSearch = on;
    l.search = on;
    l.searchSet = true;
  },
  stats: (l, on) => {
    l.stats = on;
  },
  tcp: (l, on) => {
    l.tcp = on;
    l.tcpSet = true;
  },
  time: (l, _on, v) => {
    l.timeUs = seconds(v);
  },
  timeout: (l, _on, v) => {
    l.timeUs = seconds(v);
  },
  trace: (l, on) => {
    l.trace = on;
    if (!on) return;
    l.identify = true;
    l.stats = false;
    l.comments = false;
    l.question = false;
    l.additional = false;
    l.rd = true;
    l.dnssec = true;
    l.servers = [];
  },
  tries: (l, _on, v) => {
    l.tries = count(v);
  },
  ttlid: (l, on) => {
    l.ttl = on;
  },
  vc: (l, on) => {
    l.tcp = on;
    l.tcpSet = true;
  },
};

const ALIASES: Readonly<Record<string, string>> = { do: 'dnssec', cl: 'class', ttl: 'ttlid', rec: 'recurse' };

function plusOption(text: string, l: DigLookup, flags: { printCmd: boolean }): boolean {
  const [word = '', value] = text.split('=', 2);
  const known = (w: string): Setter | undefined => {
    const full = ALIASES[w] ?? w;
    if (PLUS[full]) return PLUS[full];
    const hits = w.length >= 2 ? Object.keys(PLUS).filter((k) => k.startsWith(w)) : [];
    return hits.length === 1 ? PLUS[hits[0] as string] : undefined;
  };
  const direct = known(word);
  const set = direct ?? (word.startsWith('no') ? known(word.slice(2)) : undefined);
  set?.(l, direct !== undefined, value, flags);
  return set !== undefined;
}
