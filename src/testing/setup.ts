import { provideTools } from '../engine/netfilter/tools';
import { TOOLS } from '../engine/netfilter/tools-all';

// Tests use the netfilter door without a session: its tools are there from the start.
provideTools(TOOLS);
