import '../setup';
import { replayCli } from './cli';
import { replayConntrack } from './conntrack';
import { replayDns } from './dns';
import { replayIpvs } from './ipvs';
import { replayNetfilter } from './netfilter';
import { replayProxy } from './proxy';
import type { Replayer } from './types';

/** One replayer a truth folder, by the folder's name. */
export const replayers: Readonly<Record<string, Replayer>> = {
  cli: replayCli,
  conntrack: replayConntrack,
  dns: replayDns,
  netfilter: replayNetfilter,
  ipvs: replayIpvs,
  proxy: replayProxy,
};
