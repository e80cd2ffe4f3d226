/**
 * Elastic tab stops as Go's text/tabwriter lays them out (padchar ' ', left-aligned): a column is a block of
 * consecutive lines that all have a tab-ended cell there. kubectl's tables use (6, 3), its descriptions (0, 2).
 */
export function tabulate(text: string, minWidth: number, padding: number): string {
  const lines = text.split('\n').map((line) => line.split('\t'));
  const widths: number[] = [];
  let printed = '';
  const write = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      const cells = lines[i] as string[];
      cells.forEach((cell, j) => {
        printed += cell;
        if (j < widths.length && j < cells.length - 1) printed += ' '.repeat((widths[j] as number) - width(cell));
      });
      if (i < lines.length - 1) printed += '\n';
    }
  };
  const format = (from: number, to: number): void => {
    const column = widths.length;
    let start = from;
    for (let i = from; i < to; i++) {
      if (column >= (lines[i] as string[]).length - 1) continue;
      write(start, i);
      start = i;
      let w = minWidth;
      for (; i < to && column < (lines[i] as string[]).length - 1; i++) {
        w = Math.max(w, width((lines[i] as string[])[column] as string) + padding);
      }
      widths.push(w);
      format(start, i);
      widths.pop();
      start = i;
    }
    write(start, to);
  };
  format(0, lines.length);
  return printed;
}

/** Width in characters (code points), as tabwriter counts. */
const width = (cell: string): number => [...cell].length;
