import { setLayout } from '../app/layout';
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

/** A press opens the copy itself. */
const showSlices = (): void => setLayout({ table: 'slices', phone: 'tables' });
const showRules = (node: string): void => setLayout({ table: 'iptables', rulesNode: node, phone: 'tables' });

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
        <button type="button" className="strip-press" onClick={showSlices}>
          EndpointSlice <span className="mono">{readyText(t, strip)}</span>
        </button>
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
      <li>
        <button
          type="button"
          className={node.staleSinceUs === undefined ? 'strip-press' : 'strip-press stale'}
          onClick={() => showRules(node.node)}
        >
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
        </button>
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

interface BoxProps {
  readonly title: string;
  readonly value: string;
  readonly since: string;
  readonly stale?: boolean;
  readonly press?: () => void;
}

function Box({ title, value, since, stale = false, press }: BoxProps) {
  const look = stale ? 'strip-box stale' : 'strip-box';
  const text = (
    <>
      <b>{title}</b>
      <span className="mono">{value}</span>
      <span className="dim">{since}</span>
    </>
  );
  return press === undefined ? (
    <div className={look}>{text}</div>
  ) : (
    <button type="button" className={look} onClick={press}>
      {text}
    </button>
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
        press={showSlices}
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
              press={() => showRules(n.node)}
            />
          </div>
        ))}
      </div>
    </div>
  );
}
