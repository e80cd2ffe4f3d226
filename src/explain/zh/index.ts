import type { Language } from '../languages';
import { frame } from './frame';
import { sentences } from './sentences';
import { dropWhy, symptom } from './words';

/** Everything that is said in Chinese; the page loads it when it is read. */
export const zh: Language = { sentences, frame, dropWhy, symptom };
