import type { TermLine } from '../../store/types';

/** The newest printed line that holds the selected text, and the text without blanks around it. */
export function addressed(
  lines: readonly TermLine[],
  selected: string,
): { readonly line: TermLine; readonly token: string } | undefined {
  const token = selected.split('\n', 1)[0]?.trim() ?? '';
  if (token === '') return undefined;
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i] as TermLine;
    if (line.kind !== 'in' && line.text.includes(token)) return { line, token };
  }
  return undefined;
}
