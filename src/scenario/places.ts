/** Where a command line runs; the same form as the session's. */
export type Place =
  | { readonly kind: 'workstation' }
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'pod'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'machine'; readonly name: string };

/** `workstation`, `node node-1`, `pod client-1`, `pod kube-system/coredns-1`, `machine outside`. */
export function parsePlace(text: string): Place {
  const space = text.indexOf(' ');
  const [kind, name] = space < 0 ? [text, ''] : [text.slice(0, space), text.slice(space + 1)];
  if (kind === 'node' || kind === 'machine') return { kind, name };
  if (kind === 'pod') {
    const [namespace, pod] = name.includes('/') ? (name.split('/', 2) as [string, string]) : ['default', name];
    return { kind, namespace, name: pod };
  }
  return { kind: 'workstation' };
}

/** Words of a simple command line: blanks separate, quotes and backslashes hold together. No expansion of any kind. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let i = 0; i < line.length; i++) {
    const c = line[i] as string;
    if (quote !== undefined) {
      if (c === quote) quote = undefined;
      else if (c === '\\' && quote === '"' && /["\\$`]/.test(line[i + 1] ?? '')) word += line[++i] as string;
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= '';
    } else if (c === '\\' && i + 1 < line.length) word = (word ?? '') + (line[++i] as string);
    else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + c;
  }
  if (word !== undefined) words.push(word);
  return words;
}
