import { usePage } from '../model';
import { useReads } from '../read';
import { REACHABLE } from '../ui/hooks';
import { Icon } from '../ui/Icon';
import { useText } from '../ui/messages';
import { PinButton } from '../ui/PinButton';
import './tables.css';

/** EndpointSlices with the three conditions of every endpoint. */
export default function SlicesTable() {
  const t = useText();
  const reads = useReads();
  const cursor = usePage((p) => p.cursor);
  const slices = reads.slices();
  if (slices.length === 0) {
    return (
      <div className="table-empty">
        <div className="empty">
          <b>{t.slicesEmpty}</b>
          <span>{t.slicesEmptyWhy}</span>
        </div>
      </div>
    );
  }
  return (
    <section className="table-scroll slices" aria-label={t.tabSlices} {...REACHABLE}>
      {slices.map((s) => (
        <div key={`${s.namespace}/${s.name}`} className="slice">
          <div className="slice-head">
            <b className="mono strong">
              {s.namespace}/{s.name}
            </b>
            {s.service !== undefined && <span className="mid">{t.sliceFor(s.service)}</span>}
            <span className="dim mono">{s.ports.join(', ')}</span>
            <PinButton target={{ kind: 'row', map: 'k8s.objects', key: `${s.namespace}/${s.name}`, seq: cursor }} />
          </div>
          {s.endpoints.length === 0 ? (
            <p className="c-drop slice-none">{t.sliceNoEndpoints}</p>
          ) : (
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">{t.colAddress}</th>
                  <th scope="col">{t.colReady}</th>
                  <th scope="col">{t.colServing}</th>
                  <th scope="col">{t.colTerminating}</th>
                  <th scope="col">{t.colNode}</th>
                  <th scope="col">{t.colTarget}</th>
                </tr>
              </thead>
              <tbody>
                {s.endpoints.map((e) => (
                  <tr key={e.addresses.join(' ')}>
                    <td className="m">{e.addresses.join(', ')}</td>
                    <td>
                      <Flag on={e.ready} good />
                    </td>
                    <td>
                      <Flag on={e.serving} good />
                    </td>
                    <td>
                      <Flag on={e.terminating} good={false} />
                    </td>
                    <td>{e.node ?? ''}</td>
                    <td>{e.target ?? ''}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </div>
      ))}
    </section>
  );
}

function Flag({ on, good }: { on: boolean; good: boolean }) {
  const t = useText();
  return (
    <span className={on ? (good ? 'flag c-rep' : 'flag c-rw') : 'flag dim'}>
      <Icon name={on ? (good ? 'check' : 'warn') : 'dash'} />
      {on ? t.yes : t.no}
    </span>
  );
}
