import { EXTRA, INSTALLED } from '../images';

/** Names that the shell language keeps for itself although the session knows them: it reads files through its own file system. */
const SHELL_OWN = ['cat', 'ls', 'tee'];

/** Every program of the session; whether a place has one is the session's to say. */
export const PROGRAMS: readonly string[] = [...new Set([...Object.values(INSTALLED).flat(), ...EXTRA])]
  .filter((n) => !SHELL_OWN.includes(n))
  .sort();

/** The first words of `kubectl` that are no flags. */
export function kubectlWords(args: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as string;
    if (a === '--') break;
    if (
      a === '-n' ||
      a === '--namespace' ||
      a === '--context' ||
      a === '--kubeconfig' ||
      a === '-c' ||
      a === '--container'
    )
      i++;
    else if (!a.startsWith('-')) out.push(a);
  }
  return out;
}
