import { IpsetCommand } from '../ipset/command';
import { MATCHES } from '../matches';
import { TARGETS } from '../targets';
import type { Tools } from '../tools';
import { runConntrack } from './conntrack';

export const TOOLS: Tools = { runConntrack, Ipset: IpsetCommand, matches: MATCHES, targets: TARGETS };
