/** A cell of a table: text, or a number that is right-aligned where the table says so. */
export type Cell = string | number;

/** Plain columns separated by `gap` blanks, each as wide as its widest cell; the last one is not padded. */
export function columns(rows: readonly (readonly Cell[])[], gap = 1, right: readonly number[] = []): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, String(cell).length);
  return rows
    .map((row) =>
      row
        .map((cell, i) => {
          const text = String(cell);
          if (right.includes(i)) return text.padStart(widths[i] as number);
          return i === row.length - 1 ? text : text.padEnd(widths[i] as number);
        })
        .join(' '.repeat(gap)),
    )
    .map((line) => `${line}\n`)
    .join('');
}
