import type { RecordMap, WorldReader } from '../base/recordmap';
import { err, ok, type Result } from '../base/result';
import type { Ctx } from '../trace/context';
import { SYSCTLS, type SysctlRecord } from './records';
import type { SysctlSpec } from './stack';
import { CONF_LEAVES, NET_SYSCTLS } from './sysctl-list';
import type { NetnsId } from './types';

/** Writing fails as the kernel's proc handlers do: no such file, read-only (EACCES on open), bad value. */
export type SysctlError = 'ENOENT' | 'EACCES' | 'EINVAL';

const CONF = /^net\.ipv4\.conf\.(.+)\.([a-z_]+)$/;

/** Sysctls of every namespace: specs are code, values that differ from the default are records. */
export class Sysctls {
  private readonly values: RecordMap<SysctlRecord>;
  private readonly specs = new Map<NetnsId, Map<string, SysctlSpec>>();

  constructor(
    private readonly ctx: Ctx,
    /** Interface names of a namespace, for `conf.<dev>.*`. */
    private readonly devNames: (netns: NetnsId) => readonly string[],
    private readonly nodeOf: (netns: NetnsId) => string,
  ) {
    this.values = ctx.world.map(SYSCTLS);
  }

  /** A new namespace has the stack's own sysctls. */
  addNamespace(netns: NetnsId): void {
    const specs = new Map<string, SysctlSpec>();
    for (const [key, spec] of NET_SYSCTLS) specs.set(key, spec);
    this.specs.set(netns, specs);
  }

  declare(netns: NetnsId, key: string, spec: SysctlSpec): void {
    this.specs.get(netns)?.set(key, spec);
  }

  private spec(netns: NetnsId, key: string): SysctlSpec | undefined {
    const known = this.specs.get(netns)?.get(key);
    if (known) return known;
    const conf = CONF.exec(key);
    if (!conf || !this.specs.has(netns)) return undefined;
    const [, dev, leaf] = conf as unknown as [string, string, string];
    if (dev !== 'all' && dev !== 'default' && !this.devNames(netns).includes(dev)) return undefined;
    return CONF_LEAVES.find(([name]) => name === leaf)?.[1];
  }

  /** Value in the live world, or in the world of a reader at a past cursor. */
  get(netns: NetnsId, key: string, reader: WorldReader = this.ctx.world): string | undefined {
    const spec = this.spec(netns, key);
    if (!spec) return undefined;
    if (spec.live) return spec.live(reader);
    const stored = reader.map(SYSCTLS).get(`${netns}|${forwardingKey(key)}`)?.value;
    return stored ?? this.fallback(netns, key, spec, reader);
  }

  private fallback(netns: NetnsId, key: string, spec: SysctlSpec, reader: WorldReader): string {
    // inet_forward_change: writing ip_forward sets every interface's own switch.
    if (/^net\.ipv4\.conf\..+\.forwarding$/.test(key)) {
      return this.get(netns, 'net.ipv4.ip_forward', reader) ?? spec.default;
    }
    return spec.default;
  }

  /** Integer value; 0 where the key does not exist. */
  int(netns: NetnsId, key: string): number {
    return Number.parseInt(this.get(netns, key) ?? '0', 10);
  }

  /** IN_DEV_MAXCONF: the greater of `all` and the interface's own value. */
  maxConf(netns: NetnsId, dev: string, leaf: string): number {
    return Math.max(this.int(netns, `net.ipv4.conf.all.${leaf}`), this.int(netns, `net.ipv4.conf.${dev}.${leaf}`));
  }

  /** IN_DEV_ORCONF. */
  orConf(netns: NetnsId, dev: string, leaf: string): boolean {
    return this.maxConf(netns, dev, leaf) !== 0;
  }

  set(netns: NetnsId, key: string, text: string): Result<null, SysctlError> {
    const spec = this.spec(netns, key);
    if (!spec) return err('ENOENT');
    if (!spec.writable) return err('EACCES');
    const value = normalise(key, text, spec);
    if (value === undefined) return err('EINVAL');
    const before = this.get(netns, key) ?? '';
    const stored = forwardingKey(key);
    if (stored === 'net.ipv4.ip_forward') this.forgetForwarding(netns);
    if (value === spec.default && !CONF.test(stored)) this.values.delete(`${netns}|${stored}`);
    else this.values.set(`${netns}|${stored}`, { netns, key: stored, value });
    this.ctx.trace.emitAlways('sysctl.set', { key, before, after: value }, { node: this.nodeOf(netns), netns });
    spec.onSet?.(value);
    return ok(null);
  }

  private forgetForwarding(netns: NetnsId): void {
    for (const k of this.values.by('netns', netns)) if (k.endsWith('.forwarding')) this.values.delete(k);
  }

  /** inetdev_init: a new interface starts with the namespace's `conf.default`. */
  initDevice(netns: NetnsId, dev: string): void {
    for (const [leaf] of CONF_LEAVES) {
      const v = this.values.get(`${netns}|net.ipv4.conf.default.${leaf}`);
      if (!v) continue;
      const key = `net.ipv4.conf.${dev}.${leaf}`;
      this.values.set(`${netns}|${key}`, { netns, key, value: v.value });
    }
  }

  forgetDevice(netns: NetnsId, dev: string): void {
    for (const k of this.values.by('netns', netns)) {
      if (k.startsWith(`${netns}|net.ipv4.conf.${dev}.`)) this.values.delete(k);
    }
  }

  /** All keys of a namespace, for `sysctl -a` and directory listings; unsorted by design of the callers. */
  keys(netns: NetnsId): readonly string[] {
    const out = [...(this.specs.get(netns)?.keys() ?? [])];
    for (const dev of ['all', 'default', ...this.devNames(netns)]) {
      for (const [leaf] of CONF_LEAVES) out.push(`net.ipv4.conf.${dev}.${leaf}`);
    }
    return out;
  }

  writable(netns: NetnsId, key: string): boolean {
    return this.spec(netns, key)?.writable ?? false;
  }
}

/** `conf.all.forwarding` is the same switch as `ip_forward`. */
const forwardingKey = (key: string): string => (key === 'net.ipv4.conf.all.forwarding' ? 'net.ipv4.ip_forward' : key);

/** proc_dointvec and kin: blanks around, decimal, 0x or octal integers; undefined is EINVAL. */
function normalise(key: string, text: string, spec: SysctlSpec): string | undefined {
  const words = text.trim().split(/[ \t\n]+/);
  const isRange = /\t/.test(spec.default);
  const numeric = isRange || /^-?\d+$/.test(spec.default);
  if (!numeric) return text.trim();
  const count = isRange ? spec.default.split('\t').length : 1;
  if (words.length < count) return undefined;
  const out: number[] = [];
  for (const w of words.slice(0, count)) {
    if (!/^-?(0[xX][0-9a-fA-F]+|\d+)$/.test(w)) return undefined;
    const n = w.startsWith('-') ? -toInt(w.slice(1)) : toInt(w);
    if (!Number.isSafeInteger(n) || n > 2147483647 || n < -2147483648) return undefined;
    if (spec.min !== undefined && n < spec.min) return undefined;
    if (spec.max !== undefined && n > spec.max) return undefined;
    out.push(n);
  }
  if (key.endsWith('ip_local_port_range') && (out[1] as number) < (out[0] as number)) return undefined;
  return out.join('\t');
}

const toInt = (w: string): number =>
  /^0[xX]/.test(w) ? Number.parseInt(w, 16) : /^0\d/.test(w) ? Number.parseInt(w, 8) : Number.parseInt(w, 10);
