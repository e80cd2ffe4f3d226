import type { Catalogue, Frame } from './catalogue';
import { frame } from './en/frame';
import { sentences } from './en/sentences';
import { dropWhy, symptom } from './en/words';
import type { Lang } from './lang';

/** Everything that is said in one language. */
export interface Language {
  readonly sentences: Catalogue;
  readonly frame: Frame;
  readonly dropWhy: (reason: string) => string;
  readonly symptom: (symptom: string) => string;
}

const english: Language = { sentences, frame, dropWhy, symptom };
const known: Partial<Record<Lang, Language>> = { en: english };

/** The words of a language; English where they have not been loaded. */
export const language = (lang: Lang): Language => known[lang] ?? english;

/** English is always there; another language is added when somebody reads it. */
export function addLanguage(lang: Lang, words: Language): void {
  known[lang] = words;
}
