import { provideModes } from '../engine/kubeproxy';
import { ipvsMode } from '../engine/kubeproxy/modes/ipvs';
import { nftablesMode } from '../engine/kubeproxy/modes/nftables';
import { TOOLS } from '../engine/netfilter/tool';
import { provideTools } from '../engine/netfilter/tools';

// Tests use parts of the engine without a session: what comes late there is here from the start.
provideTools(TOOLS);
provideModes([nftablesMode, ipvsMode]);
