import type { Phrase } from './types';

export interface RuleParts {
  /** What a packet must be, in short: `10.96.10.10/32 tcp 80`; empty: every packet. */
  readonly condition: string;
  readonly target: string | undefined;
  /** Options of the target as printed. */
  readonly options: string;
}

/** Splits a line as a shell would, as far as iptables-save quotes. */
function words(text: string): string[] {
  return (text.match(/"(?:\\.|[^"\\])*"|\S+/g) ?? []).map((w) => (w.startsWith('"') ? w.slice(1, -1) : w));
}

/** Options whose value says enough without their name. */
const BARE = new Set(['-d', '-p', '--dport', '--dports', '--ports', '--destination-port']);
/** Options that only say which module is used, or nothing about the packet. */
const SILENT = new Set(['-m', '--comment', '--mode']);
/** Named in the reader's words, without dashes. */
const NAMED: Readonly<Record<string, string>> = {
  '--probability': 'random',
  '--mark': 'mark',
  '--ctstate': 'ctstate',
  '--dst-type': 'dst-type',
  '--src-type': 'src-type',
  '--match-set': 'set',
};

/** The parts of a rule as iptables-save prints it (`-A CHAIN ... -j TARGET ...`). */
export function ruleParts(text: string): RuleParts {
  const w = words(text);
  const out: string[] = [];
  let i = w[0] === '-A' ? 2 : 0;
  let not = '';
  for (; i < w.length; i++) {
    const token = w[i] as string;
    if (token === '-j' || token === '-g') break;
    if (token === '!') {
      not = '! ';
      continue;
    }
    if (!token.startsWith('-')) continue;
    const values: string[] = [];
    while (i + 1 < w.length && !(w[i + 1] as string).startsWith('-') && w[i + 1] !== '!') values.push(w[++i] as string);
    if (SILENT.has(token)) continue;
    const value = values.join(' ');
    if (BARE.has(token) && not === '') out.push(value);
    else if (token in NAMED) out.push(`${not}${NAMED[token]}${value === '' ? '' : ` ${value}`}`);
    else out.push(`${not}${token}${value === '' ? '' : ` ${value}`}`);
    not = '';
  }
  return { condition: out.join(' '), target: w[i + 1], options: w.slice(i + 2).join(' ') };
}

const code = (text: string): Phrase => ({ as: 'code', text });

/** Title of a rule's row when its target matters more than its condition: a rewrite that names no address. */
export function ruleTitle(text: string): { title: Phrase; detail: Phrase } {
  const p = ruleParts(text);
  const condition: Phrase = p.condition === '' ? { as: 'word', code: 'every-packet' } : code(p.condition);
  if (p.target === undefined) return { title: condition, detail: code('') };
  const plain = p.condition === '' || /^(tcp|udp|sctp)$/.test(p.condition);
  if (p.target.startsWith('KUBE-') || p.options === '') return { title: condition, detail: code(`→ ${p.target}`) };
  const [option, ...rest] = p.options.split(' ');
  if (plain && rest.length > 0) return { title: code(`${p.target} ${option}`), detail: code(rest.join(' ')) };
  return { title: condition, detail: code(`→ ${p.target} ${p.options}`) };
}
