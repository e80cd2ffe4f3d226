import { providePrograms } from '../engine/cluster';
import { provideModes } from '../engine/kubeproxy';
import { provideTools } from '../engine/netfilter';
import type { Parts } from './parts';
import { SessionProblem } from './problem';

let parts: Parts | undefined;

/**
 * Gives sessions what the first picture does without: the commands of the shell, the YAML reader. That is a good half of
 * the code, so the worker loads it when something first asks for it; Node has it from the start (./session).
 */
export function provideParts(p: Parts): void {
  parts = p;
  providePrograms(p.programs);
  provideTools(p.tools);
  provideModes(p.modes);
}
export const hasParts = (): boolean => parts !== undefined;

export function lateParts(): Parts {
  if (!parts) throw new SessionProblem({ code: 'session.parts', message: 'the commands are not loaded' });
  return parts;
}
