import { useState } from 'react';
import { whereOf } from '../../explain';
import { access, usePage } from '../model';
import { useReads } from '../read';
import { REACHABLE } from '../ui/hooks';
import { useText } from '../ui/messages';
import { TableHead } from './TableHead';
import './tables.css';

/** The sysctls that decide about connections, and what the kernel printed. */
export default function KernelTable() {
  const t = useText();
  const reads = useReads();
  const cursor = usePage((p) => p.cursor);
  const nodes = reads.nodes().map((n) => n.name);
  const event = access().events[cursor - 1];
  const here = event === undefined ? undefined : whereOf(event, access().spans).netns;
  const [chosen, setNode] = useState('');
  const [filter, setFilter] = useState('');
  const node = chosen !== '' ? chosen : here !== undefined && nodes.includes(here) ? here : (nodes[0] ?? '');
  const set = event?.kind === 'sysctl.set' ? (event.facts as { key?: string } | null)?.key : undefined;
  const needle = filter.trim().toLowerCase();
  const rows = reads.sysctls(node).filter((s) => needle === '' || s.key.includes(needle));
  const log = reads.kernelLog().filter((l) => l.node === node);
  return (
    <div className="table-panel">
      <TableHead filter={filter} setFilter={setFilter}>
        <select className="chip" value={node} aria-label={t.colNode} onChange={(e) => setNode(e.target.value)}>
          {nodes.map((n) => (
            <option key={n}>{n}</option>
          ))}
        </select>
      </TableHead>
      <div className="kernel">
        <section className="table-scroll" aria-label={t.kernelSysctls} {...REACHABLE}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{t.kernelSysctls}</th>
                <th scope="col" className="num">
                  <span className="vh">{t.colValue}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((s) => (
                <tr key={s.key} className={s.key === set ? 'changed' : undefined}>
                  <td className="m">{s.key}</td>
                  <td className="m num">{s.value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <section className="table-scroll dmesg" aria-label={t.kernelLog} {...REACHABLE}>
          <div className="sect">{t.kernelLog}</div>
          {log.length === 0 ? (
            <p className="dim">{t.kernelLogEmpty}</p>
          ) : (
            log.map((l) => (
              <p key={`${l.atUs} ${l.line}`} className="mono">
                <span className="dim">[{(l.atUs / 1_000_000).toFixed(6).padStart(12)}] </span>
                {l.line}
              </p>
            ))
          )}
        </section>
      </div>
    </div>
  );
}
