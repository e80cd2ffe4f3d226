import { createContext, useContext } from 'react';
import { type Catalogue, en } from './en';

export type { Catalogue } from './en';
export { en };

/** The page's words in the reader's language; English until another catalogue has loaded. */
export const TextContext = createContext<Catalogue>(en);

export const useText = (): Catalogue => useContext(TextContext);
