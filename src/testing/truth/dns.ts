import { replayCli } from './dns/cli';
import { replayMessages } from './dns/messages';
import { recordedObjects } from './dns/objects';
import { replayResolver } from './dns/resolver';
import { replayServer } from './dns/server';
import type { Replayer, TruthFiles, TruthOutcome, Wanted } from './types';

/** Replays recordings of CoreDNS, of stub resolvers and of DNS tools (README of the folder). */
export const replayDns: Replayer = function* (files: TruthFiles, wanted: Wanted): Generator<TruthOutcome> {
  const kube = recordedObjects(files);
  yield* replayServer(files, wanted, kube);
  yield* replayResolver(files, wanted, kube);
  yield* replayCli(files, wanted, kube);
  yield* replayMessages(files, wanted, kube);
};
