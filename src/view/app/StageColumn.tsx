import { Fragment, lazy, Suspense } from 'react';
import { whereOf } from '../../explain';
import { access, usePage } from '../model';
import { nextLevel } from '../path/Stage';
import { useReadable } from '../read';
import { Icon } from '../ui/Icon';
import { useText } from '../ui/messages';
import { Boundary } from './Boundary';
import { setLayout, useLayout } from './layout';
import { StagePicture } from './StagePicture';

const TraceTable = lazy(() => import('../tables/TraceTable'));

interface Crumb {
  readonly key: string;
  readonly text: string;
  readonly mono: boolean;
}

/** Where the cursor stands: cluster / node-1 / PREROUTING / nat / KUBE-SERVICES. */
export function Crumbs() {
  const t = useText();
  const cursor = usePage((p) => p.cursor);
  const origin = usePage((p) => p.origin);
  const event = cursor > origin ? access().events[cursor - 1] : undefined;
  const where = event === undefined ? undefined : whereOf(event, access().spans);
  const netns = where?.netns ?? where?.node;
  const parts: Crumb[] = [{ key: 'cluster', text: t.crumbCluster, mono: false }];
  if (netns !== undefined) for (const p of netns.split('/')) parts.push({ key: `netns ${p}`, text: p, mono: false });
  if (where?.hook !== undefined) parts.push({ key: 'hook', text: where.hook.toUpperCase(), mono: false });
  if (where?.table !== undefined) parts.push({ key: 'table', text: where.table, mono: false });
  const chain = where?.chain;
  if (chain !== undefined && chain.toUpperCase() !== where?.hook?.toUpperCase())
    parts.push({ key: 'chain', text: chain, mono: true });
  return (
    <nav className="crumbs" aria-label={t.colPlace}>
      <ol>
        {parts.map((p, i) => (
          <Fragment key={p.key}>
            {i > 0 && (
              <li aria-hidden="true" className="slash">
                /
              </li>
            )}
            <li
              className={`${p.mono ? 'mono ' : ''}${i === parts.length - 1 ? 'here' : ''}`}
              aria-current={i === parts.length - 1 ? 'location' : undefined}
            >
              {p.text}
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  );
}

/** The stage with its bar; on a phone it is one panel of the page's main part instead of the part itself. */
export function StageColumn({ inner = false }: { inner?: boolean }) {
  const t = useText();
  const asTable = useLayout((l) => l.asTable);
  const Part = inner ? 'div' : 'main';
  return (
    <Part className="stage" data-region="stage" {...(inner ? {} : { id: 'step', tabIndex: -1 })}>
      {!inner && <h1 className="vh">{t.stageLabel}</h1>}
      <div className="stage-bar">
        <Crumbs />
        {!asTable && <Zoom />}
        <fieldset className="seg" aria-label={t.regionStage}>
          <button type="button" aria-pressed={!asTable} onClick={() => setLayout({ asTable: false })}>
            {t.asPicture}
          </button>
          <button type="button" aria-pressed={asTable} onClick={() => setLayout({ asTable: true })}>
            {t.asTable}
          </button>
        </fieldset>
      </div>
      <Boundary>
        {asTable ? (
          <Suspense>
            <TraceTable />
          </Suspense>
        ) : (
          <StageSlot />
        )}
      </Boundary>
    </Part>
  );
}

/** Nearer, further, and back to the map with the hooks under it. */
function Zoom() {
  const t = useText();
  const level = useLayout((l) => l.shown);
  return (
    <span className="zoom">
      <button
        type="button"
        className="btn quiet small icon"
        aria-label={t.zoomOut}
        title={`${t.zoomOut} -`}
        disabled={level === 'map'}
        onClick={() => setLayout({ level: nextLevel(level, -1) })}
      >
        <Icon name="minus" />
      </button>
      <button
        type="button"
        className="btn quiet small icon"
        aria-label={t.zoomIn}
        title={`${t.zoomIn} +`}
        disabled={level === 'hook'}
        onClick={() => setLayout({ level: nextLevel(level, 1) })}
      >
        <Icon name="plus" />
      </button>
    </span>
  );
}

/** The picture, or what stands there while the cluster starts. */
export function StageSlot() {
  const ready = usePage((p) => p.status === 'ready');
  const readable = useReadable();
  if (!ready || !readable) return <Starting />;
  return <StagePicture />;
}

/** The rail at once, what is on it when it comes; no shimmer. */
function Starting() {
  const t = useText();
  const progress = usePage((p) => p.progress);
  return (
    <div className="starting">
      <svg width="320" height="24" viewBox="0 0 320 24" aria-hidden="true">
        <path d="M4 12H316" stroke="var(--line-2)" strokeWidth="3" strokeLinecap="round" />
        {[40, 88, 136, 184, 232, 280].map((x) => (
          <circle
            key={x}
            cx={x}
            cy="12"
            r="8"
            fill="var(--panel)"
            stroke="var(--line-3)"
            strokeWidth="1.5"
            strokeDasharray="2 2.4"
          />
        ))}
      </svg>
      <p role="status">
        {t.loadingCluster}
        {progress?.total !== undefined && <span className="dim"> {t.loadingDone(progress.done, progress.total)}</span>}
      </p>
    </div>
  );
}
