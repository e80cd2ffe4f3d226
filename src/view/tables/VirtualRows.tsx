import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { REACHABLE } from '../ui/hooks';

interface Props<R> {
  readonly rows: readonly R[];
  readonly columns: ReactNode;
  readonly count: number;
  readonly label: string;
  /** Height of a row (px). */
  readonly height?: number;
  readonly row: (row: R, index: number) => ReactNode;
  /** Row that is to be in view. */
  readonly show?: number;
}

/** Stands for the rows that are not in view. */
const SPACE = { 'aria-hidden': true, className: 'space' } as const;

/** A real table of any length: only the rows in view are in the document, and each says which one it is. */
export function VirtualRows<R>({ rows, columns, count, label, height = 28, row, show }: Props<R>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
  });
  useEffect(() => {
    if (show !== undefined && show >= 0) virtual.scrollToIndex(show, { align: 'auto' });
  }, [show, virtual]);
  const items = virtual.getVirtualItems();
  const first = items[0];
  const last = items[items.length - 1];
  const above = first?.start ?? 0;
  const below = virtual.getTotalSize() - (last?.end ?? 0);
  return (
    // A scrolled area that the keyboard can reach.
    <section className="table-scroll" ref={scroller} aria-label={label} {...REACHABLE}>
      <table className="table" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>{columns}</tr>
        </thead>
        <tbody>
          {above > 0 && (
            <tr {...SPACE}>
              <td colSpan={count} style={{ height: above }} />
            </tr>
          )}
          {items.map((item) => row(rows[item.index] as R, item.index))}
          {below > 0 && (
            <tr {...SPACE}>
              <td colSpan={count} style={{ height: below }} />
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}
