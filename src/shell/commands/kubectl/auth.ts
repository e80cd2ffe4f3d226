import { type CommandResult, fail, out } from '../../command';
import { tabulate } from '../../format/tabwriter';
import { flag, text } from '../../kube/cli/flags';
import type { Kube, Verb } from '../../kube/cli/verb';
import { findResource } from '../../kube/resources';

function run(k: Kube): CommandResult {
  const [sub, verb, what] = k.args;
  const user = k.as ?? k.config.user;
  if (sub === 'whoami') {
    const groups = k.as === undefined ? '[system:masters system:authenticated]' : '[system:authenticated]';
    const rows = [
      ['ATTRIBUTE', 'VALUE'],
      ['Username', user],
      ...(k.as === undefined ? [['UID', user]] : []),
      ['Groups', groups],
    ];
    return out(tabulate(`${rows.map((r) => r.join('\t')).join('\n')}\n`, 6, 3));
  }
  if (sub === 'can-i') {
    if (verb === undefined || what === undefined)
      return fail(
        "error: you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.",
      );
    const known = findResource(what.split('/')[0] as string);
    const warning = known ? '' : `Warning: the server doesn't have a resource type '${what}'\n`;
    return {
      stdout: k.as === undefined ? 'yes\n' : 'no\n',
      stderr: `${warning}\n`.replace(/\n$/, ''),
      exit: k.as === undefined ? 0 : 1,
    };
  }
  return out('Inspect authorization.\n');
}

export const auth: Verb = {
  name: 'auth',
  acts: false,
  flags: { 'all-namespaces': flag('A'), list: flag(), quiet: flag('q'), subresource: text(), output: text('o') },
  run,
  complete: () => ['can-i', 'whoami'],
};
