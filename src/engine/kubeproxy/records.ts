import { defineMap } from '../base/recordmap';
import type { KObject } from '../k8s/index';

/** A node's kube-proxy, as state. Times in us; -1: never. */
export interface ProxyState {
  readonly node: string;
  readonly running: boolean;
  readonly mode: string;
  readonly flags: readonly string[];
  /** Raised by every start, so that timers of an earlier process fall flat. */
  readonly run: number;
  readonly startedAtUs: number;
  /** Services and EndpointSlices have been listed: rules may be written. */
  readonly initialized: boolean;
  /** A change waits to be written. */
  readonly dirty: boolean;
  readonly syncing: boolean;
  readonly needFull: boolean;
  readonly lastSyncUs: number;
  readonly lastFullUs: number;
  /** Services (`namespace/name`) that changed since the last sync, in code-unit order. */
  readonly changed: readonly string[];
  /** When the oldest change that is not yet in the rules was noticed; -1: none. */
  readonly staleSinceUs: number;
  /** conntrack-tcp-be-liberal as found at the start. */
  readonly liberal: boolean;
  /** Last sync's outcome. */
  readonly healthy: boolean;
}

/** kube-proxies by node name. */
export const PROXIES = defineMap<ProxyState>('kubeproxy.state');

/** Each kube-proxy's informer cache: what it has heard of, by `node|Kind/namespace/name`. */
export const PROXY_CACHE = defineMap<KObject>('kubeproxy.cache', {
  // The record does not say whose cache it lies in: the key does.
  node: (_, key) => key.slice(0, key.indexOf('|')),
});
