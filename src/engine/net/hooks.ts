import { defineMap, type World } from '../base/recordmap';
import { ACCEPT, type Hook, type HookVerdict, type NetnsId, type Skb } from './types';

/** One function registered on a hook, as nf_register_net_hook does it. */
export interface HookFn {
  /** Station name as shown: `raw`, `conntrack`, `mangle`, `nat`, `filter`, `security`, `confirm`, `ipvs`, `defrag`. */
  readonly name: string;
  readonly hook: Hook;
  readonly family: 4 | 6;
  /** enum nf_ip_hook_priorities: raw -300, conntrack -200, mangle -150, dstnat -100, filter 0, security 50, srcnat 100, confirm 2^31-1. */
  readonly priority: number;
  run(skb: Skb): HookVerdict;
}

/** What of a registration is state: the names, for the stage's line of stations. */
export interface HookRecord {
  readonly netns: NetnsId;
  readonly hook: Hook;
  readonly family: 4 | 6;
  readonly stations: readonly { readonly name: string; readonly priority: number }[];
}
export const HOOKS = defineMap<HookRecord>('net.hooks', { netns: (h) => h.netns });

/** Hook functions of all namespaces, kept in the kernel's order: priority, then registration. */
export class HookRegistry {
  private readonly lists = new Map<string, HookFn[]>();

  constructor(private readonly world: World) {}

  register(netns: NetnsId, fn: HookFn): void {
    const key = `${netns}|${fn.family}|${fn.hook}`;
    const list = this.lists.get(key) ?? [];
    let i = list.length;
    while (i > 0 && (list[i - 1] as HookFn).priority > fn.priority) i--;
    this.lists.set(key, [...list.slice(0, i), fn, ...list.slice(i)]);
    this.note(netns, fn.family, fn.hook);
  }

  unregister(netns: NetnsId, fn: HookFn): void {
    const key = `${netns}|${fn.family}|${fn.hook}`;
    this.lists.set(
      key,
      (this.lists.get(key) ?? []).filter((f) => f !== fn),
    );
    this.note(netns, fn.family, fn.hook);
  }

  list(netns: NetnsId, family: 4 | 6, hook: Hook): readonly HookFn[] {
    return this.lists.get(`${netns}|${family}|${hook}`) ?? [];
  }

  /**
   * Runs the functions of a hook in order from priority `from` on (br_netfilter and re-injection start in the
   * middle); the first verdict that is not accept ends the walk.
   */
  run(skb: Skb, hook: Hook, from = Number.NEGATIVE_INFINITY): HookVerdict {
    for (const fn of this.list(skb.netns, skb.packet.ip.family, hook)) {
      if (fn.priority < from) continue;
      const v = fn.run(skb);
      if (v.kind !== 'accept') return v;
    }
    return ACCEPT;
  }

  private note(netns: NetnsId, family: 4 | 6, hook: Hook): void {
    this.world.map(HOOKS).set(`${netns}|${family}|${hook}`, {
      netns,
      hook,
      family,
      stations: this.list(netns, family, hook).map((f) => ({ name: f.name, priority: f.priority })),
    });
  }
}
