import { type Program, programs } from '../engine/workload';
import type { Command, CommandCtx, CompleteCtx, Running } from './command';
import { objectsOf } from './kube/api';
import { nameOf, str } from './kube/fields';
import type { PackageSet, Place } from './place';

/** Programs that open sockets: they run as processes in the place's namespace until they end or are interrupted. */
export function client(spec: {
  readonly name: string;
  readonly usage: string;
  program(packages: PackageSet): Program;
  readonly complete: readonly string[];
}): Command {
  return {
    name: spec.name,
    usage: spec.usage,
    acts: () => true,
    run: (ctx) => running(ctx, isApplet(ctx.place, spec.name) ? busybox(ctx.place) : spec.program(ctx.place.packages)),
    complete: (c) => [...spec.complete, ...destinations(c)],
  };
}

/** Whether a name means busybox in a place. */
export const isApplet = (place: Place, name: string): boolean =>
  place.image === 'busybox' || place.applets?.includes(name) === true;

/** busybox 1.35.0 of Debian 12, 1.37.0 of Debian 13. */
export const busybox = (place: Place): Program =>
  (place.packages === 'debian13' ? programs['busybox-1.37.0'] : programs.busybox) as Program;

export function running(ctx: CommandCtx, program: Program): Running {
  return {
    program,
    argv: ctx.argv,
    stdin: ctx.stdin,
    tty: ctx.cols !== undefined,
    ...(ctx.interruptUs === undefined ? {} : { maxUs: ctx.interruptUs }),
  };
}

/** Names and addresses of Services and pods, as they are now. */
export function destinations(c: CompleteCtx): readonly string[] {
  const services = objectsOf(c.reader, 'Service', '');
  const pods = objectsOf(c.reader, 'Pod', '');
  const names = services.map(nameOf);
  const ips = [...services.map((s) => str(s, 'spec', 'clusterIP')), ...pods.map((p) => str(p, 'status', 'podIP'))];
  const all = [...names, ...ips.filter((ip) => /^\d/.test(ip))];
  return c.word.startsWith('http://') ? all.map((d) => `http://${d}`) : all;
}
