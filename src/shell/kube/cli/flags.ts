import { err, ok, type Result } from '../../../engine/base';

/** One flag as pflag knows it. `arg`: takes a value; 'optional': only as --x=value, else `implied`. */
export interface Flag {
  readonly short?: string;
  readonly arg: boolean | 'optional';
  readonly implied?: string;
}
export type Flags = Readonly<Record<string, Flag>>;

const value: Flag = { arg: true };
const bool: Flag = { arg: 'optional', implied: 'true' };
export const text = (short?: string): Flag => (short === undefined ? value : { short, arg: true });
export const flag = (short?: string): Flag => (short === undefined ? bool : { ...bool, short });
export const implied = (implies: string): Flag => ({ arg: 'optional', implied: implies });

/** Flags of every kubectl command. */
export const GLOBAL: Flags = {
  namespace: text('n'),
  context: text(),
  cluster: text(),
  user: text(),
  kubeconfig: text(),
  server: text('s'),
  token: text(),
  as: text(),
  'as-group': text(),
  'as-uid': text(),
  'request-timeout': text(),
  'cache-dir': text(),
  'certificate-authority': text(),
  'client-certificate': text(),
  'client-key': text(),
  'insecure-skip-tls-verify': flag(),
  'tls-server-name': text(),
  'disable-compression': flag(),
  'match-server-version': flag(),
  'warnings-as-errors': flag(),
  kuberc: text(),
  v: text('v'),
  help: flag('h'),
};

export interface ParsedFlags {
  readonly args: readonly string[];
  /** Words after `--`, where there was one. */
  readonly afterDash: readonly string[] | undefined;
  get(name: string): string | undefined;
  all(name: string): readonly string[];
  is(name: string): boolean;
}

/** Parses words with pflag's rules; the error is pflag's text. */
export function parseFlags(words: readonly string[], flags: Flags): Result<ParsedFlags> {
  const known: Flags = { ...GLOBAL, ...flags };
  const values = new Map<string, string[]>();
  const args: string[] = [];
  let afterDash: string[] | undefined;
  const put = (name: string, v: string): void => void values.set(name, [...(values.get(name) ?? []), v]);
  for (let i = 0; i < words.length; i++) {
    const w = words[i] as string;
    if (w === '--') {
      afterDash = words.slice(i + 1);
      break;
    }
    if (w.startsWith('--')) {
      const eq = w.indexOf('=');
      const name = eq < 0 ? w.slice(2) : w.slice(2, eq);
      const f = known[name];
      if (!f) return err(`unknown flag: --${name}`);
      if (eq >= 0) put(name, w.slice(eq + 1));
      else if (f.arg === 'optional') put(name, f.implied ?? 'true');
      else if (i + 1 < words.length) put(name, words[++i] as string);
      else return err(`flag needs an argument: --${name}`);
    } else if (w.startsWith('-') && w.length > 1) {
      for (let j = 1; j < w.length; j++) {
        const c = w[j] as string;
        const name = Object.keys(known).find((k) => known[k]?.short === c);
        if (name === undefined) return err(`unknown shorthand flag: '${c}' in ${w}`);
        const f = known[name] as Flag;
        const rest = w.slice(j + 1);
        if (rest.startsWith('=')) {
          put(name, rest.slice(1));
          break;
        }
        if (f.arg === 'optional') {
          put(name, f.implied ?? 'true');
          continue;
        }
        if (rest !== '') put(name, rest);
        else if (i + 1 < words.length) put(name, words[++i] as string);
        else return err(`flag needs an argument: '${c}' in ${w}`);
        break;
      }
    } else args.push(w);
  }
  return ok({
    args,
    afterDash,
    get: (name) => values.get(name)?.at(-1),
    all: (name) => values.get(name) ?? [],
    is: (name) => {
      const v = values.get(name)?.at(-1);
      return v !== undefined && v !== 'false';
    },
  });
}
