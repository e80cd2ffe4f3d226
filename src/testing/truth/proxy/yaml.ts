import { parseAllDocuments } from 'yaml';
import type { TruthFiles } from '../types';

type Doc = { readonly [key: string]: unknown };

/** Documents of a YAML file of the truth, empty ones left out; undefined when there is no such file. */
export function readDocs(files: TruthFiles, path: string): Doc[] | undefined {
  const text = files.read(path);
  if (text === undefined) return undefined;
  return splitDocs(text);
}

/** Big files (a thousand pods) are cut into documents first: equal texts are read once. */
function splitDocs(text: string): Doc[] {
  const out: Doc[] = [];
  for (const part of text.split(/^---$/m)) {
    for (const d of [parseAllDocuments(part)].flat()) {
      const value = d.toJS() as unknown;
      if (typeof value === 'object' && value !== null) out.push(value as Doc);
    }
  }
  return out;
}
