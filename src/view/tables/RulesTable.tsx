import { useState } from 'react';
import { whereOf } from '../../explain';
import { setLayout, useLayout } from '../app/layout';
import { access, page, usePage } from '../model';
import { useReads } from '../read';
import { useText } from '../ui/messages';
import { PinButton } from '../ui/PinButton';
import { thousands } from '../ui/time';
import { NoMatch } from './ConntrackTable';
import { TableHead } from './TableHead';
import { VirtualRows } from './VirtualRows';

type Line =
  | { readonly kind: 'chain'; readonly chain: string; readonly policy: string | undefined; readonly count: number }
  | {
      readonly kind: 'rule';
      readonly ruleId: string;
      readonly text: string;
      readonly packets: number;
      readonly bytes: number;
    };

const ORDER = ['nat', 'filter', 'mangle', 'raw'];

/** The rules of one node's table as iptables-save prints them, the one under the cursor lit. */
export default function RulesTable() {
  const t = useText();
  const reads = useReads();
  const cursor = usePage((p) => p.cursor);
  const selected = usePage((p) => (p.selection?.kind === 'rule' ? p.selection.ruleId : undefined));
  const event = access().events[cursor - 1];
  const nodes = reads.nodes().map((n) => n.name);
  const chosen = useLayout((l) => l.rulesNode) ?? '';
  const setNode = (node: string): void => setLayout({ rulesNode: node });
  const [table, setTable] = useState('nat');
  const [filter, setFilter] = useState('');
  const here = event === undefined ? undefined : whereOf(event, access().spans).netns;
  const node = chosen !== '' ? chosen : here !== undefined && nodes.includes(here) ? here : (nodes[0] ?? '');
  const tables = [...reads.rules(node)].sort((a, b) => ORDER.indexOf(a.table) - ORDER.indexOf(b.table));
  const shown = tables.find((x) => x.table === table) ?? tables[0];
  const now = event?.kind === 'nf.rule' ? (event.facts as { ruleId?: string } | null)?.ruleId : undefined;
  const needle = filter.trim().toLowerCase();
  const lines: Line[] = [];
  for (const c of shown?.chains ?? []) {
    const rules = c.rules.filter((r) => needle === '' || r.text.toLowerCase().includes(needle));
    if (rules.length === 0 && (needle !== '' || c.rules.length > 0)) continue;
    lines.push({ kind: 'chain', chain: c.chain, policy: c.policy, count: c.rules.length });
    for (const r of rules) lines.push({ kind: 'rule', ...r });
  }
  if (tables.length === 0) {
    return (
      <div className="table-empty">
        <div className="empty">
          <b>{t.rulesEmpty}</b>
          <span>{t.rulesEmptyWhy}</span>
        </div>
      </div>
    );
  }
  return (
    <div className="table-panel">
      <TableHead filter={filter} setFilter={setFilter}>
        <select className="chip" value={node} aria-label={t.colNode} onChange={(e) => setNode(e.target.value)}>
          {nodes.map((n) => (
            <option key={n}>{n}</option>
          ))}
        </select>
        <fieldset className="seg" aria-label={t.tabIptables}>
          {tables.map((x) => (
            <button key={x.table} type="button" aria-pressed={x === shown} onClick={() => setTable(x.table)}>
              {x.table}
            </button>
          ))}
        </fieldset>
        <span className="dim">{t.rulesOfTable(shown?.chains.reduce((n, c) => n + c.rules.length, 0) ?? 0)}</span>
      </TableHead>
      {lines.length === 0 ? (
        <NoMatch filter={filter} clear={() => setFilter('')} />
      ) : (
        <VirtualRows
          rows={lines}
          label={t.tabIptables}
          count={4}
          height={26}
          show={now === undefined ? undefined : lines.findIndex((l) => l.kind === 'rule' && l.ruleId === now)}
          columns={
            <>
              <th scope="col">{t.tabIptables}</th>
              <th scope="col" className="num">
                {t.colPackets}
              </th>
              <th scope="col" className="num">
                {t.colBytes}
              </th>
              <th scope="col">
                <span className="vh">{t.pin}</span>
              </th>
            </>
          }
          row={(l, i) =>
            l.kind === 'chain' ? (
              <tr key={`chain ${l.chain}`} aria-rowindex={i + 2} className="chain-row">
                <th scope="rowgroup" colSpan={4}>
                  <span className="mono strong">{l.chain}</span>{' '}
                  <span className="dim">
                    {l.policy === undefined ? t.rulesOfTable(l.count) : t.chainPolicy(l.policy)}
                  </span>
                </th>
              </tr>
            ) : (
              <tr
                key={l.ruleId}
                aria-rowindex={i + 2}
                aria-selected={selected === l.ruleId}
                className={l.ruleId === now ? 'changed' : undefined}
                onClick={() => page().select({ kind: 'rule', ruleId: l.ruleId })}
              >
                <td className="m rule-text">{l.text}</td>
                <td className="m num">{thousands(l.packets)}</td>
                <td className="m num">{thousands(l.bytes)}</td>
                <td className="last">
                  <PinButton target={{ kind: 'rule', ruleId: l.ruleId, seq: cursor }} />
                </td>
              </tr>
            )
          }
        />
      )}
    </div>
  );
}
