import { type Cidr, cidrContains, parseCidr } from '../../base/ip';
import type { World } from '../../base/recordmap';
import { devName } from '../../net/records';
import { IPPROTO, type NetnsId, packetLen } from '../../net/types';
import { protocolName } from '../args';
import type { Facts } from '../xt';
import { memberKey, parseElement } from './element';
import { NF_SETS, SET_TYPES, type SetMember, type SetRecord } from './types';

export interface SetResult {
  readonly hit: boolean;
  /** The most specific element that holds the packet is marked nomatch. */
  readonly nomatch: boolean;
  readonly packets?: number;
  readonly bytes?: number;
}
const MISS: SetResult = Object.freeze({ hit: false, nomatch: false });

/** Members of a set arranged for look-ups; rebuilt when its record changes. */
interface Index {
  readonly exact: ReadonlyMap<string, SetMember>;
  /** Sets with networks: members by prefix, most specific first, networks parsed. */
  readonly nets: readonly { readonly cidrs: readonly (Cidr | undefined)[]; readonly member: SetMember }[];
}

/** ip sets as rules use them (net/netfilter/ipset). */
export class SetStore {
  private readonly cache = new WeakMap<SetRecord, Index>();

  constructor(private readonly world: World) {}

  get(netns: NetnsId, name: string): SetRecord | undefined {
    return this.world.map(NF_SETS).get(`${netns}|${name}`);
  }
  exists(netns: NetnsId, name: string): boolean {
    return this.get(netns, name) !== undefined;
  }

  private index(set: SetRecord): Index {
    let idx = this.cache.get(set);
    if (!idx) {
      const comps = SET_TYPES[set.type] ?? [];
      const hasNet = comps.includes('net');
      idx = {
        exact: new Map(set.members.map((m) => [memberKey(m), m])),
        nets: hasNet
          ? set.members
              .map((member) => ({
                member,
                cidrs: member.parts.map((p, i) => (comps[i] === 'net' ? parseCidr(p) : undefined)),
              }))
              .sort((a, b) => length(b.cidrs) - length(a.cidrs))
          : [],
      };
      this.cache.set(set, idx);
    }
    return idx;
  }

  /** A packet's own parts for a set, or undefined where it has none (no ports, too few directions). */
  private partsOf(set: SetRecord, f: Facts, dirs: readonly string[]): string[] | undefined {
    const comps = SET_TYPES[set.type] ?? [];
    if (dirs.length < comps.length) return undefined;
    const out: string[] = [];
    for (let i = 0; i < comps.length; i++) {
      const src = dirs[i] === 'src';
      switch (comps[i]) {
        case 'ip':
        case 'net':
          if (f.family !== set.family) return undefined;
          out.push(src ? f.packet.ip.src : f.packet.ip.dst);
          break;
        case 'port': {
          const port = portOf(f, src);
          if (port === undefined) return undefined;
          out.push(set.type === 'bitmap:port' ? String(port) : `${protocolName(f.proto)}:${port}`);
          break;
        }
        case 'mark':
          out.push(`0x${f.skb.mark.toString(16).padStart(8, '0')}`);
          break;
        case 'mac':
          out.push((f.skb.srcMac ?? '').toUpperCase());
          break;
        case 'iface': {
          const dev = src ? f.skb.inDev : f.skb.outDev;
          out.push(dev === undefined ? '' : devName(dev));
          break;
        }
        default:
          return undefined;
      }
    }
    return out;
  }

  test(netns: NetnsId, name: string, f: Facts, dirs: readonly string[]): SetResult {
    const set = this.get(netns, name);
    if (!set) return MISS;
    if (set.type === 'list:set') {
      for (const m of set.members) {
        const r = this.test(netns, m.parts[0] as string, f, dirs);
        if (r.hit) return r;
      }
      return MISS;
    }
    const parts = this.partsOf(set, f, dirs);
    if (!parts) return MISS;
    const member = this.lookup(set, parts);
    if (!member) return MISS;
    if (member.nomatch) return { hit: false, nomatch: true };
    if (set.counters) {
      this.bump(set, member, packetLen(f.packet));
      return {
        hit: true,
        nomatch: false,
        packets: (member.packets ?? 0) + 1,
        bytes: (member.bytes ?? 0) + packetLen(f.packet),
      };
    }
    return { hit: true, nomatch: false };
  }

  private lookup(set: SetRecord, parts: readonly string[]): SetMember | undefined {
    const now = this.world.nowUs;
    const alive = (m: SetMember | undefined): m is SetMember =>
      m !== undefined && (m.expiresAtUs === undefined || m.expiresAtUs > now);
    const idx = this.index(set);
    if (idx.nets.length === 0) {
      const m = idx.exact.get(parts.join(','));
      return alive(m) ? m : undefined;
    }
    for (const { cidrs, member } of idx.nets) {
      if (!alive(member)) continue;
      const ok = member.parts.every((p, i) => {
        const c = cidrs[i];
        return c ? cidrContains(c, parts[i] as string) : p === parts[i];
      });
      if (ok) return member;
    }
    return undefined;
  }

  private bump(set: SetRecord, member: SetMember, bytes: number): void {
    this.put(set, {
      ...set,
      members: set.members.map((m) =>
        m === member ? { ...m, packets: (m.packets ?? 0) + 1, bytes: (m.bytes ?? 0) + bytes } : m,
      ),
    });
  }

  put(_before: SetRecord | undefined, next: SetRecord): void {
    this.world.map(NF_SETS).set(`${next.netns}|${next.name}`, next);
  }
  remove(netns: NetnsId, name: string): void {
    this.world.map(NF_SETS).delete(`${netns}|${name}`);
  }
  /** All sets of a namespace in the order of the kernel's table. */
  list(netns: NetnsId): SetRecord[] {
    const map = this.world.map(NF_SETS);
    const place = (s: SetRecord): number => s.index ?? 0;
    return map
      .by('netns', netns)
      .map((k) => map.get(k) as SetRecord)
      .sort((a, b) => place(a) - place(b));
  }
  /** The first place of the table that nobody has. */
  freeIndex(netns: NetnsId): number {
    const taken = new Set(this.list(netns).map((s) => s.index));
    let i = 0;
    while (taken.has(i)) i++;
    return i;
  }

  /** The packet's element as text, for the ✓/✗ display. */
  elementText(netns: NetnsId, name: string, f: Facts, dirs: readonly string[]): string {
    const set = this.get(netns, name);
    if (!set) return '';
    if (set.type === 'list:set') {
      const first = set.members[0]?.parts[0];
      return first === undefined ? '' : this.elementText(netns, first, f, dirs);
    }
    return this.partsOf(set, f, dirs)?.join(',') ?? '';
  }

  addFromPacket(
    netns: NetnsId,
    name: string,
    f: Facts,
    dirs: readonly string[],
    timeout: number | undefined,
    exist: boolean,
  ): void {
    const set = this.get(netns, name);
    const parts = set && this.partsOf(set, f, dirs);
    if (!set || !parts) return;
    const old = this.lookup(set, parts);
    if (old && !exist) return;
    const [m] = parseElement(parts.join(','), set);
    if (!m) return;
    const seconds = timeout ?? set.timeout;
    const member: SetMember = {
      ...m,
      ...(set.timeout !== undefined && seconds ? { expiresAtUs: this.world.nowUs + seconds * 1_000_000 } : {}),
      ...(set.counters ? { packets: 0, bytes: 0 } : {}),
    };
    this.put(set, { ...set, members: [...set.members.filter((x) => memberKey(x) !== memberKey(member)), member] });
  }

  delFromPacket(netns: NetnsId, name: string, f: Facts, dirs: readonly string[]): void {
    const set = this.get(netns, name);
    const parts = set && this.partsOf(set, f, dirs);
    if (!set || !parts) return;
    const key = parts.join(',');
    const rest = set.members.filter((m) => memberKey(m) !== key);
    if (rest.length !== set.members.length) this.put(set, { ...set, members: rest });
  }
}

const length = (cidrs: readonly (Cidr | undefined)[]): number => cidrs.reduce((n, c) => n + (c?.prefix ?? 0), 0);

/** ip_set_get_ip4_port: ICMP's type and code stand in for ports. */
function portOf(f: Facts, src: boolean): number | undefined {
  const l4 = f.packet.l4;
  if (l4.kind === 'tcp' || l4.kind === 'udp') return src ? l4.sport : l4.dport;
  if (l4.kind === 'icmp' && f.proto === IPPROTO.icmp) return l4.type * 256 + l4.code;
  return undefined;
}
