/** Domain names as presentation text with the final dot, e.g. `mysql.default.svc.cluster.local.`; the root is `.`. */

/** Makes a name fully qualified (miekg dns.Fqdn): adds the final dot unless an unescaped one is there. */
export function fqdn(name: string): string {
  return isFqdn(name) ? name : `${name}.`;
}

export function isFqdn(name: string): boolean {
  if (!name.endsWith('.')) return false;
  let slashes = 0;
  for (let i = name.length - 2; i >= 0 && name[i] === '\\'; i--) slashes++;
  return slashes % 2 === 0;
}

/** Labels of a name, left to right; none for the root. Escaped dots do not split. */
export function labelsOf(name: string): string[] {
  if (name === '' || name === '.') return [];
  if (name.indexOf('\\') < 0) return (name.endsWith('.') ? name.slice(0, -1) : name).split('.');
  const out: string[] = [];
  let label = '';
  for (let i = 0; i < name.length; i++) {
    const c = name[i] as string;
    if (c === '\\') {
      const n = escapeLen(name, i);
      label += name.slice(i, i + n);
      i += n - 1;
    } else if (c === '.') {
      out.push(label);
      label = '';
    } else label += c;
  }
  if (label !== '') out.push(label);
  return out;
}

/** A name as a program gives it (bytes and dots) as presentation text, special characters escaped as miekg/dns does. */
export const presented = (name: string): string =>
  name.replace(/[^A-Za-z0-9_.-]/g, (c) => {
    const n = c.charCodeAt(0);
    if (' @;()"\\\''.includes(c)) return `\\${c}`;
    return n < 33 || n > 126 ? `\\${String(n).padStart(3, '0')}` : c;
  });

/** Length of the escape that starts at `i`: `\DDD` is 4 characters, `\X` is 2. */
function escapeLen(name: string, i: number): number {
  return /^[0-9]{3}$/.test(name.slice(i + 1, i + 4)) ? 4 : 2;
}

/** Bytes that a label takes on the wire, without its length byte. */
export function labelBytes(label: string): number {
  if (label.indexOf('\\') < 0) return label.length;
  let n = 0;
  for (let i = 0; i < label.length; n++) i += label[i] === '\\' ? escapeLen(label, i) : 1;
  return n;
}

/** True when `child` is `parent` or lies below it; letter case is ignored (miekg dns.IsSubDomain). */
export function isSubDomain(parent: string, child: string): boolean {
  if (parent === '.') return true;
  const p = parent.toLowerCase();
  const c = child.toLowerCase();
  if (!c.endsWith(p)) return false;
  return c.length === p.length || c[c.length - p.length - 1] === '.';
}

/** The longest of `zones` that holds `name`, or '' (CoreDNS plugin.Zones.Matches). */
export function matchZones(zones: readonly string[], name: string): string {
  let best = '';
  for (const z of zones) if (isSubDomain(z, name) && z.length > best.length) best = z;
  return best;
}

/** Joins labels to a fully qualified name; a last label `.` stands for the root. */
export function joinLabels(...labels: readonly string[]): string {
  if (labels.length === 0) return '.';
  if (labels[labels.length - 1] === '.') return `${labels.slice(0, -1).join('.')}.`;
  return fqdn(labels.join('.'));
}

/** `name` without the labels of `zone` and without the final dot; undefined when the zone is as long as the name. */
export function trimZone(name: string, zone: string): string | undefined {
  const n = labelsOf(name);
  const z = labelsOf(zone).length;
  return n.length > z ? n.slice(0, n.length - z).join('.') : undefined;
}

/** Valid as a domain name (miekg dns.IsDomainName): labels of 1 to 63 bytes, at most 255 bytes in all. */
export function isDomainName(name: string): boolean {
  if (name === '.') return true;
  if (name === '') return false;
  const bare = isFqdn(name) ? name.slice(0, -1) : name;
  let total = 1;
  for (const l of splitKeepingEmpty(bare)) {
    const n = labelBytes(l);
    if (n === 0 || n > 63) return false;
    total += n + 1;
  }
  return total <= 255;
}

function splitKeepingEmpty(bare: string): string[] {
  return bare.indexOf('\\') < 0 ? bare.split('.') : labelsOf(`${bare}.`);
}

/** The reverse name of an address: `11.1.244.10.in-addr.arpa.` or nibbles under `ip6.arpa.`. */
export function reverseName(groups: readonly number[] | undefined, v4: number | undefined): string {
  if (v4 !== undefined) return `${[v4 & 255, (v4 >>> 8) & 255, (v4 >>> 16) & 255, v4 >>> 24].join('.')}.in-addr.arpa.`;
  const hex = (groups ?? []).map((g) => g.toString(16).padStart(4, '0')).join('');
  return `${[...hex].reverse().join('.')}.ip6.arpa.`;
}
