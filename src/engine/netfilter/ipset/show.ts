import { parseCidr, parseIpv4 } from '../../base/ip';
import { icmpText } from './icmp';
import { SET_TYPES, type SetMember, type SetRecord } from './types';

/** How a listing is wanted. */
export interface Listing {
  readonly mode: 'plain' | 'save' | 'xml' | 'json';
  readonly terse: boolean;
  readonly sorted: boolean;
  readonly nowUs: number;
  references(s: SetRecord): number;
}

/** Newest revision of each type on a 6.18 kernel. */
const REVISIONS: Readonly<Record<string, number>> = {
  'bitmap:ip': 3,
  'bitmap:port': 3,
  'hash:ip': 6,
  'hash:net': 7,
  'hash:mac': 1,
  'hash:ip,mark': 3,
  'hash:ip,port': 7,
  'hash:ip,port,ip': 6,
  'hash:ip,port,net': 8,
  'hash:net,port': 8,
  'hash:net,net': 4,
  'hash:net,iface': 8,
  'hash:net,port,net': 3,
  'list:set': 3,
};

/** Bytes that one element takes in its bucket, IPv4 without extensions. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  'hash:ip': 40,
  'hash:ip,port': 48,
  'hash:ip,port,ip': 52,
  'hash:ip,port,net': 56,
  'hash:net': 108,
};

/** Header fields with their names, in the order of the listing. */
function fields(s: SetRecord): (readonly [name: string, value: string | undefined])[] {
  const out: [string, string | undefined][] = [];
  if (s.type === 'list:set') out.push(['size', String(s.size ?? 8)]);
  else if (s.range) out.push(['range', s.range.join('-')]);
  else {
    out.push(
      ['family', s.family === 4 ? 'inet' : 'inet6'],
      ['hashsize', String(s.hashsize)],
      ['maxelem', String(s.maxelem)],
    );
    if (s.netmask !== undefined) out.push(['netmask', String(s.netmask)]);
  }
  if (s.timeout !== undefined) out.push(['timeout', String(s.timeout)]);
  if (s.counters) out.push(['counters', undefined]);
  if (s.comment) out.push(['comment', undefined]);
  if (s.skbinfo) out.push(['skbinfo', undefined]);
  if (s.forceadd) out.push(['forceadd', undefined]);
  if (s.type.startsWith('hash:')) {
    out.push(['bucketsize', '12'], ['initval', `0x${(s.initval ?? 0).toString(16).padStart(8, '0')}`]);
  }
  return out;
}

const headerText = (s: SetRecord): string =>
  fields(s)
    .map(([name, value]) => (value === undefined ? name : `${name} ${value}`))
    .join(' ');

function memory(s: SetRecord): number {
  if (s.type === 'list:set') return 80 + 48 * s.members.length;
  if (s.range) {
    const place = (t: string): number => (s.type === 'bitmap:port' ? Number(t) : (parseIpv4(t) ?? 0));
    const bits = place(s.range[1]) - place(s.range[0]) + 1;
    return 72 + Math.ceil(bits / 64) * 8;
  }
  const each =
    (ELEMENT_BYTES[s.type] ?? 64) +
    (s.family === 6 ? 40 : 0) +
    (s.counters ? 32 : 0) +
    (s.timeout === undefined ? 0 : 16);
  return 216 + each * s.members.length;
}

/** One component as it is printed: ICMP's types by their names. */
function partText(part: string): string {
  const [, proto, value] = /^(icmp|ipv6-icmp):(\d+)$/.exec(part) ?? [];
  if (proto === undefined) return part;
  return `${proto === 'icmp' ? 'icmp' : 'icmpv6'}:${icmpText(Number(value), proto as 'icmp' | 'ipv6-icmp')}`;
}

/** Extensions of a member with their names, in the order of the listing. */
function extensions(m: SetMember, s: SetRecord, nowUs: number): (readonly [name: string, value: string | undefined])[] {
  const out: [string, string | undefined][] = [];
  if (m.nomatch) out.push(['nomatch', undefined]);
  if (s.timeout !== undefined) {
    const left = m.expiresAtUs === undefined ? 0 : Math.max(0, Math.floor((m.expiresAtUs - nowUs) / 1_000_000));
    out.push(['timeout', String(left)]);
  }
  if (s.counters) out.push(['packets', String(m.packets ?? 0)], ['bytes', String(m.bytes ?? 0)]);
  if (m.comment !== undefined) out.push(['comment', `"${m.comment}"`]);
  return out;
}

const elementText = (m: SetMember): string => m.parts.map(partText).join(',');

function memberText(m: SetMember, s: SetRecord, nowUs: number): string {
  const more = extensions(m, s, nowUs).map(([n, v]) => (v === undefined ? ` ${n}` : ` ${n} ${v}`));
  return elementText(m) + more.join('');
}

/** Members as the kernel dumps them: a bitmap in order, a list as it is; hashes are dumped in no order that anybody knows. */
function membersOf(s: SetRecord, o: Listing): readonly SetMember[] {
  const alive = s.members.filter((m) => m.expiresAtUs === undefined || m.expiresAtUs > o.nowUs);
  if (s.type === 'list:set' || (!s.range && !o.sorted)) return alive;
  return [...alive].sort(compare);
}

function compare(a: SetMember, b: SetMember): number {
  for (let i = 0; i < a.parts.length; i++) {
    const [p, q] = [a.parts[i] as string, b.parts[i] as string];
    const d = rank(p) - rank(q);
    if (d !== 0) return d;
    if (p !== q) return p < q ? -1 : 1;
  }
  return 0;
}

function rank(part: string): number {
  if (/^\d+$/.test(part)) return Number(part);
  const cidr = parseCidr(part);
  if (cidr) return parseIpv4(cidr.base) ?? 0;
  return Number(part.slice(part.indexOf(':') + 1)) || 0;
}

/** Sets in one of the output modes. */
export function showSets(sets: readonly SetRecord[], o: Listing): string {
  switch (o.mode) {
    case 'save':
      return sets.map((s) => saved(s, o)).join('');
    case 'xml':
      return sets.length === 0 ? '' : `<ipsets>\n${sets.map((s) => xml(s, o)).join('')}</ipsets>\n`;
    case 'json':
      return `[\n${sets.map((s) => json(s, o)).join(',\n')}${sets.length === 0 ? '' : '\n'}]\n`;
    default:
      return sets.map((s) => plain(s, o)).join('\n');
  }
}

function plain(s: SetRecord, o: Listing): string {
  const members = membersOf(s, o);
  const head = `Name: ${s.name}\nType: ${s.type}\nRevision: ${REVISIONS[s.type] ?? 0}\nHeader: ${headerText(s)}\nSize in memory: ${memory(s)}\nReferences: ${o.references(s)}\nNumber of entries: ${members.length}\n`;
  return o.terse ? head : `${head}Members:\n${members.map((m) => `${memberText(m, s, o.nowUs)}\n`).join('')}`;
}

function saved(s: SetRecord, o: Listing): string {
  const members = o.terse ? [] : membersOf(s, o);
  return `create ${s.name} ${s.type} ${headerText(s)}\n${members.map((m) => `add ${s.name} ${memberText(m, s, o.nowUs)}\n`).join('')}`;
}

const tag = ([name, value]: readonly [string, string | undefined]): string =>
  value === undefined ? `<${name}/>` : `<${name}>${value}</${name}>`;

function xml(s: SetRecord, o: Listing): string {
  const members = membersOf(s, o);
  const head = `<type>${s.type}</type>\n<revision>${REVISIONS[s.type] ?? 0}</revision>\n<header>${fields(s).map(tag).join('')}\n<memsize>${memory(s)}</memsize>\n<references>${o.references(s)}</references>\n<numentries>${members.length}</numentries>\n</header>\n`;
  const list = members.map(
    (m) => `<member><elem>${elementText(m)}</elem>${extensions(m, s, o.nowUs).map(tag).join('')}</member>\n`,
  );
  return `<ipset name="${s.name}">\n${head}${o.terse ? '' : `<members>\n${list.join('')}</members>\n`}</ipset>\n`;
}

function json(s: SetRecord, o: Listing): string {
  const members = membersOf(s, o);
  const field = ([name, value]: readonly [string, string | undefined]): string =>
    `"${name}" : ${value === undefined ? 'true' : name === 'family' ? `"${value}"` : value}`;
  const sizes = [`"memsize" : ${memory(s)}`, `"references" : ${o.references(s)}`, `"numentries" : ${members.length}`];
  const head = [...fields(s).map(field), ...sizes].map((l) => `      ${l}`).join(',\n');
  const list = members.map((m) => {
    const lines = [`"elem" : "${elementText(m)}"`, ...extensions(m, s, o.nowUs).map(field)];
    return `      {\n${lines.map((l) => `        ${l}`).join(',\n')}\n      }`;
  });
  const body = o.terse ? '' : `,\n    "members" : [\n${list.join(',\n')}${list.length === 0 ? '' : '\n'}    ]`;
  return `  {\n    "name" : "${s.name}",\n    "type" : "${s.type}",\n    "revision" : ${REVISIONS[s.type] ?? 0},\n    "header" : {\n${head}\n    }${body}\n  }`;
}

/** Whether elements of a type may carry `nomatch`. */
export const knowsNomatch = (type: string): boolean => (SET_TYPES[type] ?? []).includes('net');
