import { runIptables } from './text/command';
import { runConntrack } from './tool/conntrack';
import type { Tools } from './tools';

export const TOOLS: Tools = { runIptables, runConntrack };
