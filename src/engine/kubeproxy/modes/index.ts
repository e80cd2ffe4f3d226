import type { ProxyModeName } from '../flags';
import type { ProxyMode } from '../mode';
import { iptablesMode } from './iptables/index';

/** One folder per mode. iptables is always there, the others are provided when a world asks for them. */
let modes: readonly ProxyMode[] = [iptablesMode];

export function provideModes(more: readonly ProxyMode[]): void {
  modes = [iptablesMode, ...more];
}

export const modeOf = (name: ProxyModeName): ProxyMode | undefined => modes.find((m) => m.name === name);
