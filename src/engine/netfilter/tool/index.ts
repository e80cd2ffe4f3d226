import { IpsetCommand } from '../ipset/command';
import { MATCHES } from '../matches';
import { TARGETS } from '../targets';
import { runIptables } from '../text/command';
import type { Tools } from '../tools';
import { runConntrack } from './conntrack';

export const TOOLS: Tools = { runIptables, runConntrack, Ipset: IpsetCommand, matches: MATCHES, targets: TARGETS };
