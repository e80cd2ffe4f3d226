import { lazy, type ReactNode, Suspense, useRef } from 'react';
import { Boundary } from '../app/Boundary';
import {
  MIN_DRAWER,
  setDrawerHeight,
  setLayout,
  showTerminal,
  type TableName,
  toggleTable,
  useLayout,
} from '../app/layout';
import { usePage } from '../model';
import { useReads } from '../read';
import { promptOf } from '../terminal/places';
import { REACHABLE } from '../ui/hooks';
import { Icon } from '../ui/Icon';
import { useText } from '../ui/messages';
import { thousands } from '../ui/time';
import './drawer.css';

const Terminals = lazy(() => import('../terminal/Terminals'));
const ConntrackTable = lazy(() => import('../tables/ConntrackTable'));
const RulesTable = lazy(() => import('../tables/RulesTable'));
const SlicesTable = lazy(() => import('../tables/SlicesTable'));
const KernelTable = lazy(() => import('../tables/KernelTable'));

/** The panel of a table; each loads when it is first opened. */
export function TablePanel({ name }: { name: TableName }): ReactNode {
  switch (name) {
    case 'conntrack':
      return <ConntrackTable />;
    case 'iptables':
      return <RulesTable />;
    case 'slices':
      return <SlicesTable />;
    case 'kernel':
      return <KernelTable />;
  }
}

/** How many rows each table has at the cursor. */
export function useCounts(): Readonly<Record<TableName, number | undefined>> {
  const reads = useReads();
  const node = reads.nodes()[0]?.name;
  return {
    conntrack: reads.conntrackCount(),
    iptables: node === undefined ? 0 : reads.ruleCount(node),
    slices: reads.slices().length,
    kernel: reads.kernelLog().length,
  };
}

export const TABLES: readonly {
  readonly name: TableName;
  readonly key: 'tabConntrack' | 'tabIptables' | 'tabSlices' | 'tabKernel';
}[] = [
  { name: 'conntrack', key: 'tabConntrack' },
  { name: 'iptables', key: 'tabIptables' },
  { name: 'slices', key: 'tabSlices' },
  { name: 'kernel', key: 'tabKernel' },
];

/** Terminals and tables under the timeline: closed it is one bar, open it shows the terminals, one table, or both. */
export function Drawer() {
  const t = useText();
  const { terminal, table, height } = useLayout();
  const counts = useCounts();
  const places = usePage((p) => p.terminals.length);
  const active = usePage((p) => p.terminals.find((x) => x.id === p.activeTerminal));
  const open = terminal || table !== undefined;
  return (
    <section className={open ? 'drawer open' : 'drawer'} aria-label={t.regionDrawer} data-region="drawer">
      {open && <Resize />}
      <div className="drawer-bar">
        <button
          type="button"
          className="tab"
          aria-expanded={terminal}
          onClick={() => (terminal ? setLayout({ terminal: false }) : showTerminal())}
        >
          {t.tabTerminal} {places > 0 && <span className="n">{places}</span>}
        </button>
        {TABLES.map(({ name, key }) => (
          <button
            key={name}
            type="button"
            className="tab"
            aria-expanded={table === name}
            onClick={() => toggleTable(name)}
          >
            {t[key]} <span className="n">{thousands(counts[name] ?? 0)}</span>
          </button>
        ))}
        <span className="grow" />
        {!terminal && (
          <button type="button" className="prompt" onClick={showTerminal} title={t.openTerminal}>
            {promptOf(active?.place ?? { kind: 'workstation' })} <span className="kbd">t</span>
          </button>
        )}
        <button
          type="button"
          className="btn quiet small icon"
          aria-label={open ? t.collapse : t.expand}
          aria-expanded={open}
          onClick={() => (open ? setLayout({ terminal: false, table: undefined }) : showTerminal())}
        >
          <Icon name={open ? 'down' : 'up'} />
        </button>
      </div>
      {open && (
        <div className="drawer-panels" style={{ height }}>
          {terminal && (
            <div className="drawer-panel terminal-panel">
              <Boundary>
                <Suspense fallback={<p className="panel-loading">{t.termLoading}</p>}>
                  <Terminals />
                </Suspense>
              </Boundary>
            </div>
          )}
          {table !== undefined && (
            <div className="drawer-panel">
              <Boundary key={table}>
                <Suspense>
                  <TablePanel name={table} />
                </Suspense>
              </Boundary>
            </div>
          )}
        </div>
      )}
    </section>
  );
}

/** The upper edge of the drawer: dragged, or moved by arrow keys. */
function Resize() {
  const t = useText();
  const height = useLayout((l) => l.height);
  const from = useRef<{ y: number; height: number } | undefined>(undefined);
  return (
    <hr
      {...REACHABLE}
      className="drawer-resize"
      aria-orientation="horizontal"
      aria-label={t.resizeDrawer}
      aria-valuemin={MIN_DRAWER}
      aria-valuenow={height}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        from.current = { y: e.clientY, height };
      }}
      onPointerMove={(e) => {
        if (from.current !== undefined) setDrawerHeight(from.current.height + from.current.y - e.clientY);
      }}
      onPointerUp={() => {
        from.current = undefined;
      }}
      onKeyDown={(e) => {
        if (e.key !== 'ArrowUp' && e.key !== 'ArrowDown') return;
        e.preventDefault();
        setDrawerHeight(height + (e.key === 'ArrowUp' ? 24 : -24));
      }}
    />
  );
}
