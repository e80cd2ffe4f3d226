import { type CommandResult, fail } from '../../command';
import { completePods } from '../../kube/cli/complete';
import { flag, text } from '../../kube/cli/flags';
import { type Kube, Output, usage, type Verb } from '../../kube/cli/verb';
import { list, str } from '../../kube/fields';
import type { ImageName } from '../../place';
import { podOf } from './exec';

/** Tools of an image that a debugging container may have. */
function toolsOf(image: string): ImageName {
  if (/busybox|alpine/.test(image)) return 'busybox';
  return /netshoot|tools/.test(image) ? 'nettools' : 'slim';
}

/** `kubectl debug POD --image=...`: a container of its own in the pod's network namespace; the pod's object is left as it is. */
function run(k: Kube): CommandResult {
  const [pod] = k.args;
  if (pod === undefined) return usage(k, 'NAME or --filename is required for debug');
  const image = k.flags.get('image');
  if (image === undefined) return usage(k, 'you must specify --image, --copy-to or --set-image');
  const out = new Output();
  const o = podOf(k, pod, out);
  if (!o) return out.result();
  const name = str(o, 'metadata', 'name');
  const target = k.flags.get('target');
  const names = list(o, 'spec', 'containers').map((c) => str(c, 'name'));
  if (target !== undefined && !names.includes(target))
    return fail(`error: container ${target} is not valid for pod ${name}`);
  if (target !== undefined && !k.flags.is('quiet')) {
    out.line(
      `Targeting container "${target}". If you don't see processes from this container it may be because the container runtime doesn't support this feature.`,
    );
  }
  // Five letters of the server's alphabet from the clock: the name is only shown.
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  const suffix = [0, 1, 2, 3, 4].map((i) => alphabet.charAt(Math.floor(k.ctx.reader.nowUs / (i + 1)) % 27)).join('');
  if (k.flags.get('container') === undefined) out.line(`Defaulting debug container name to debugger-${suffix}.`);
  const command = k.flags.afterDash ?? [];
  if (!k.flags.is('stdin') && !k.flags.is('attach')) return out.result();
  const place = k.ctx.findPlace({ kind: 'pod', namespace: k.namespace, name });
  if (!place || !k.ctx.world || command.length === 0) return out.result();
  const r = k.ctx.world.runIn({ ...place, image: toolsOf(image) }, command, k.ctx.stdin);
  out.stdout += r.stdout;
  out.stderr += r.stderr;
  out.exit = r.exit;
  return out.result();
}

export const debug: Verb = {
  name: 'debug',
  acts: true,
  flags: {
    image: text(),
    target: text(),
    container: text('c'),
    'copy-to': text(),
    'set-image': text(),
    stdin: flag('i'),
    tty: flag('t'),
    attach: flag(),
    quiet: flag('q'),
    profile: text(),
    'share-processes': flag(),
    env: text(),
    'image-pull-policy': text(),
    'same-node': flag(),
    replace: flag(),
  },
  run,
  complete: completePods,
};
