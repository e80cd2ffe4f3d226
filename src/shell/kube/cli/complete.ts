import { byCodeUnit } from '../../../engine/base';
import type { CompleteCtx } from '../../command';
import { objectsOf } from '../api';
import { nameOf } from '../fields';
import { findResource, RESOURCES } from '../resources';

/** Namespace that the words of a line name, `default` otherwise. */
export function namespaceIn(words: readonly string[]): string {
  const i = words.findIndex((w) => w === '-n' || w === '--namespace');
  if (i >= 0) return words[i + 1] ?? 'default';
  return words.find((w) => w.startsWith('--namespace='))?.slice(12) ?? 'default';
}

/** Resource types, then names of live objects of the type; `type/name` in one word, too. */
export function completeResources(c: CompleteCtx): readonly string[] {
  const plain = c.words.filter(
    (w, i) => !w.startsWith('-') && !['-n', '--namespace', '-o', '-l', '-f'].includes(c.words[i - 1] ?? ''),
  );
  const prev = c.words.at(-1);
  if (prev === '-n' || prev === '--namespace') return objectsOf(c.reader, 'Namespace', '').map(nameOf);
  if (prev === '-o' || prev === '--output') return ['wide', 'yaml', 'json', 'name', 'jsonpath=', 'custom-columns='];
  const type = plain[2];
  const ns = namespaceIn(c.words);
  const names = (word: string): readonly string[] => {
    const r = findResource(word);
    return r ? objectsOf(c.reader, r.kind, r.namespaced ? ns : '').map(nameOf) : [];
  };
  if (type === undefined) {
    const slash = c.word.indexOf('/');
    if (slash > 0) return names(c.word.slice(0, slash)).map((n) => `${c.word.slice(0, slash + 1)}${n}`);
    return [...new Set(RESOURCES.map((r) => r.plural))].sort(byCodeUnit);
  }
  return names(type);
}

/** Names of pods, for exec and logs. */
export const completePods = (c: CompleteCtx): readonly string[] =>
  objectsOf(c.reader, 'Pod', namespaceIn(c.words)).map(nameOf);

/** Files named on the line are completed by the shell itself. */
export const completeNothing = (): readonly string[] => [];
