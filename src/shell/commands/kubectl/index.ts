import type { Verb } from '../../kube/cli/verb';
import { apply } from './apply';
import { auth } from './auth';
import { config } from './config';
import { create } from './create';
import { createConfigMap, createDeployment, createNamespace } from './create-object';
import { createService } from './create-service';
import { debug } from './debug';
import { deleteVerb } from './delete';
import { describe } from './describe';
import { diff } from './diff';
import { edit } from './edit';
import { exec, logsVerb } from './exec';
import { explain } from './explain';
import { expose } from './expose';
import { get } from './get';
import { apiResources, apiVersions, clusterInfo, completion, options, proxy, top, version } from './info';
import { annotate, label } from './label';
import { cordon, drain, uncordon } from './node';
import { patch } from './patch';
import { portForward } from './port-forward';
import { replace } from './replace';
import { rollout } from './rollout';
import { runVerb } from './run';
import { scale } from './scale';
import { set } from './set';
import { wait } from './wait';

/** Commands of kubectl in the order of its help; the longest name that fits the words wins. */
export const VERBS: readonly Verb[] = [
  create,
  createConfigMap,
  createDeployment,
  createNamespace,
  createService,
  expose,
  runVerb,
  set,
  explain,
  get,
  edit,
  deleteVerb,
  rollout,
  scale,
  clusterInfo,
  top,
  cordon,
  uncordon,
  drain,
  describe,
  logsVerb,
  exec,
  portForward,
  proxy,
  debug,
  auth,
  diff,
  apply,
  patch,
  replace,
  wait,
  label,
  annotate,
  completion,
  apiResources,
  apiVersions,
  config,
  version,
  options,
];
