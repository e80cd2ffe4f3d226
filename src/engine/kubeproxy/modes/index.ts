import type { ProxyModeName } from '../flags';
import type { ProxyMode } from '../mode';
import { iptablesMode } from './iptables/index';
import { nftablesMode } from './nftables/index';

/** One folder per mode, one line here each. */
export const MODES: readonly ProxyMode[] = [iptablesMode, nftablesMode];

export const modeOf = (name: ProxyModeName): ProxyMode | undefined => MODES.find((m) => m.name === name);
