import { type CommandResult, fail } from '../../command';
import { completePods } from '../../kube/cli/complete';
import { text } from '../../kube/cli/flags';
import { type Kube, Output, usage, type Verb } from '../../kube/cli/verb';
import { str } from '../../kube/fields';
import { podOf } from './exec';

/** port-forward only as far as it fails: no connection to the workstation's own ports is modelled. */
function run(k: Kube): CommandResult {
  const [target, ...ports] = k.args;
  if (target === undefined) return usage(k, 'TYPE/NAME and list of ports are required for port-forward');
  if (ports.length === 0) return usage(k, 'TYPE/NAME and list of ports are required for port-forward');
  const out = new Output();
  const o = podOf(k, target, out);
  if (!o) return out.result();
  const phase = str(o, 'status', 'phase');
  if (str(o, 'kind') === 'Pod' && phase !== 'Running')
    return fail(`error: unable to forward port because pod is not running. Current status=${phase}`);
  return fail(
    'error: unable to listen on any of the requested ports: the workstation of this model has no ports of its own',
  );
}

export const portForward: Verb = {
  name: 'port-forward',
  acts: true,
  flags: { address: text(), 'pod-running-timeout': text() },
  run,
  complete: completePods,
};
