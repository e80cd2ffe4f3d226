import { type Strip as StripData, type StripNode, stripAt } from '../derive/strip';
import { access, usePage } from '../model';
import { useReads } from '../read';
import { useSetting } from '../ui/hooks';
import { Icon } from '../ui/Icon';
import { useText } from '../ui/messages';
import { momentText } from '../ui/time';
import './strip.css';

function useStrip(): StripData & { readonly ready: number | undefined; readonly total: number } {
  const cursor = usePage((p) => p.cursor);
  const reads = useReads();
  const strip = stripAt(access().events, cursor);
  const mine = reads
    .slices()
    .filter((s) => s.service === strip.service?.name && s.namespace === strip.service?.namespace);
  const endpoints = mine.flatMap((s) => s.endpoints);
  return {
    ...strip,
    ready: strip.slice === undefined ? undefined : endpoints.filter((e) => e.ready).length,
    total: endpoints.length,
  };
}

/** From the Service object to each node's kernel: which copy is older than its source, and since when. */
export function Strip() {
  const t = useText();
  const strip = useStrip();
  const [open, setOpen] = useSetting('strip', 'line');
  if (strip.service === undefined) return null;
  const wide = open === 'boxes';
  return (
    <section className={wide ? 'strip boxes' : 'strip'} aria-label={t.regionStrip} data-region="strip">
      {wide ? <Boxes strip={strip} /> : <Line strip={strip} />}
      <button
        type="button"
        className="btn quiet small icon"
        aria-expanded={wide}
        aria-label={wide ? t.collapse : t.expand}
        title={t.stripHelp}
        onClick={() => setOpen(wide ? 'line' : 'boxes')}
      >
        <Icon name={wide ? 'up' : 'down'} />
      </button>
    </section>
  );
}

type Data = ReturnType<typeof useStrip>;

function readyText(t: ReturnType<typeof useText>, strip: Data): string {
  if (strip.ready === undefined) return t.stripNoSlice;
  return strip.ready === strip.total ? t.stripReady(strip.ready) : t.stripOfTotal(strip.ready, strip.total);
}

function Line({ strip }: { strip: Data }) {
  const t = useText();
  return (
    <ol className="strip-line">
      <li>
        <b>{t.stripService(strip.service?.name ?? '')}</b>
      </li>
      <Arrow />
      <li className={strip.ready === 0 || strip.ready === undefined ? 'c-drop' : undefined}>
        EndpointSlice <span className="mono">{readyText(t, strip)}</span>
      </li>
      {strip.nodes.map((n) => (
        <NodeLine key={n.node} node={n} />
      ))}
    </ol>
  );
}

function NodeLine({ node }: { node: StripNode }) {
  const t = useText();
  return (
    <>
      <Arrow />
      <li className={node.staleSinceUs === undefined ? undefined : 'stale'}>
        <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
          <circle
            cx="5"
            cy="5"
            r="4"
            fill={node.staleSinceUs === undefined ? 'var(--hook)' : 'var(--panel)'}
            stroke={node.staleSinceUs === undefined ? 'var(--hook)' : 'var(--line-3)'}
            strokeWidth="1.5"
            strokeDasharray={node.staleSinceUs === undefined ? undefined : '2 1.6'}
          />
        </svg>
        {node.node}{' '}
        <span className="dim">
          {node.staleSinceUs === undefined
            ? node.syncedUs === undefined
              ? t.stripNeverSynced
              : t.stripSince(momentText(node.syncedUs))
            : t.stripStaleSince(momentText(node.staleSinceUs))}
        </span>
      </li>
    </>
  );
}

function Arrow() {
  return (
    <li aria-hidden="true" className="strip-arrow">
      <Icon name="right" />
    </li>
  );
}

function Box({ title, value, since, stale = false }: { title: string; value: string; since: string; stale?: boolean }) {
  return (
    <div className={stale ? 'strip-box stale' : 'strip-box'}>
      <b>{title}</b>
      <span className="mono">{value}</span>
      <span className="dim">{since}</span>
    </div>
  );
}

function Boxes({ strip }: { strip: Data }) {
  const t = useText();
  const s = strip.service;
  return (
    <div className="strip-boxes">
      <Box
        title={t.stripService(s?.name ?? '')}
        value={`resourceVersion ${s?.resourceVersion ?? ''}`}
        since={t.stripSince(momentText(s?.sinceUs ?? 0))}
      />
      <span className="strip-arrow">
        <Icon name="right" />
      </span>
      <Box
        title="EndpointSlice"
        value={readyText(t, strip)}
        since={strip.slice === undefined ? '' : t.stripSince(momentText(strip.slice.sinceUs))}
      />
      <span className="strip-arrow">
        <Icon name="right" />
      </span>
      <div className="strip-nodes">
        {strip.nodes.map((n) => (
          <div key={n.node} className="strip-node">
            <b className="name">{n.node}</b>
            <Box
              title="kube-proxy"
              value={n.noticedUs === undefined ? '-' : momentText(n.noticedUs)}
              since={n.syncedUs === undefined ? t.stripNeverSynced : t.stripSynced(momentText(n.syncedUs))}
            />
            <span className="strip-arrow">
              <Icon name="right" />
            </span>
            <Box
              title={t.stripKernel}
              value={n.rules === undefined ? '-' : t.stripRules(n.rules)}
              since={
                n.staleSinceUs !== undefined
                  ? t.stripStaleSince(momentText(n.staleSinceUs))
                  : n.syncedUs === undefined
                    ? ''
                    : t.stripSince(momentText(n.syncedUs))
              }
              stale={n.staleSinceUs !== undefined}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

/** The same as a column, beside the map of the sandbox. */
export function StripColumn() {
  const t = useText();
  const strip = useStrip();
  if (strip.service === undefined) return null;
  const fresh = strip.nodes.filter((n) => n.staleSinceUs === undefined);
  const lastSync = Math.max(0, ...fresh.map((n) => n.syncedUs ?? 0));
  return (
    <aside className="strip-column" aria-label={t.regionStrip} data-region="strip">
      <div className="sect">{t.regionStrip}</div>
      <ol>
        <li>
          <b>{t.stripService(strip.service.name)}</b>
          <span>{t.stripSince(momentText(strip.service.sinceUs))}</span>
        </li>
        <li className={strip.ready === undefined || strip.ready === 0 ? 'empty-copy' : undefined}>
          <b>EndpointSlice</b>
          <span className="mono">{strip.slice?.name ?? ''}</span>
          <span>
            {readyText(t, strip)}
            {strip.slice === undefined ? '' : `, ${t.stripSince(momentText(strip.slice.sinceUs))}`}
          </span>
        </li>
        <li className={fresh.length < strip.nodes.length ? 'stale' : undefined}>
          <b>kube-proxy</b>
          <span>
            {t.stripInSync(fresh.length, strip.nodes.length)}
            {lastSync > 0 ? `, ${momentText(lastSync)}` : ''}
          </span>
        </li>
        {strip.nodes.map((n) => (
          <li key={n.node} className={n.staleSinceUs === undefined ? undefined : 'stale'}>
            <b>
              {t.stripKernel} {n.node}
            </b>
            <span>
              {n.staleSinceUs !== undefined
                ? t.stripStaleSince(momentText(n.staleSinceUs))
                : n.rules === undefined
                  ? '-'
                  : t.stripRules(n.rules)}
            </span>
          </li>
        ))}
      </ol>
    </aside>
  );
}
