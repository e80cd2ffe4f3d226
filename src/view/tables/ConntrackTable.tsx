import { useMemo, useState } from 'react';
import { endpoint, whereOf } from '../../explain';
import { showTerminal, useLayout } from '../app/layout';
import { type CtMark, ctMarks, goneEntry } from '../derive/marks';
import { access, page, usePage } from '../model';
import { type CtRow, type TupleRow, useReads } from '../read';
import { usePhone } from '../ui/hooks';
import { useText } from '../ui/messages';
import { PinButton } from '../ui/PinButton';
import { thousands } from '../ui/time';
import { TableHead } from './TableHead';
import { VirtualRows } from './VirtualRows';
import './tables.css';

const ends = (t: TupleRow): string =>
  t.icmpId === undefined
    ? `${endpoint(t.src, t.sport)} → ${endpoint(t.dst, t.dport)}`
    : `${t.src} → ${t.dst} id ${t.icmpId}`;

/** Connections that the kernels keep at the cursor; what this step made, changed or removed is marked. */
export default function ConntrackTable() {
  const t = useText();
  const reads = useReads();
  const cursor = usePage((p) => p.cursor);
  const selected = usePage((p) => (p.selection?.kind === 'ct' ? p.selection.id : undefined));
  // Beside a terminal there is room for one tuple in a row: the other stands under it.
  const beside = useLayout((l) => l.terminal);
  const stacked = usePhone() || beside;
  const [where, setWhere] = useState('');
  const [filter, setFilter] = useState('');
  const event = access().events[cursor - 1];
  const here = event === undefined ? undefined : whereOf(event, access().spans).netns;
  const all = reads.conntrack();
  const marks = ctMarks(event);
  const gone = goneEntry(event);

  const rows = useMemo((): readonly CtRow[] => {
    const removed: CtRow[] =
      gone === undefined || all.some((r) => r.id === gone.id)
        ? []
        : [
            {
              id: gone.id,
              netns: here ?? '',
              proto: gone.orig.proto,
              orig: gone.orig,
              reply: gone.reply,
              state: gone.state,
              flags: gone.status,
              seconds: 0,
              confirmed: true,
            },
          ];
    const needle = filter.trim().toLowerCase();
    return [...removed, ...all].filter(
      (r) =>
        (where === '' || r.netns === where) &&
        (needle === '' ||
          `${r.proto} ${ends(r.orig)} ${ends(r.reply)} ${r.state ?? ''} ${r.flags.join(' ')}`
            .toLowerCase()
            .includes(needle)),
    );
  }, [all, gone, here, where, filter]);

  const places = [...new Set(all.map((r) => r.netns))];
  const max = where === '' ? undefined : reads.conntrackMax(where);
  const says: Readonly<Record<CtMark, string>> = {
    made: t.ctMade,
    confirmed: t.ctConfirmed,
    updated: t.ctUpdated,
    gone: t.ctGone,
  };
  if (all.length === 0 && gone === undefined) {
    return (
      <div className="table-empty">
        <div className="empty">
          <b>{t.ctEmpty}</b>
          <span>{t.ctEmptyWhy}</span>
          <button type="button" className="btn small" onClick={showTerminal}>
            {t.openTerminal}
          </button>
        </div>
      </div>
    );
  }
  return (
    <div className="table-panel">
      <TableHead
        places={places}
        place={where}
        setPlace={setWhere}
        filter={filter}
        setFilter={setFilter}
        note={max === undefined ? undefined : t.ctCount(thousands(rows.length), thousands(max))}
      />
      {rows.length === 0 ? (
        <NoMatch filter={filter} clear={() => setFilter('')} />
      ) : (
        <VirtualRows
          rows={rows}
          label={t.conntrack}
          count={stacked ? 6 : 7}
          height={stacked ? 44 : 28}
          show={rows.findIndex((r) => marks.has(r.id))}
          columns={
            <>
              <th scope="col">{t.ctProto}</th>
              <th scope="col">{stacked ? `${t.ctOriginal} / ${t.ctReply}` : t.ctOriginal}</th>
              {!stacked && <th scope="col">{t.ctReply}</th>}
              <th scope="col">{t.ctState}</th>
              <th scope="col" className="num">
                {t.ctSeconds}
              </th>
              <th scope="col">{t.ctNode}</th>
              <th scope="col">
                <span className="vh">{t.changedRecords}</span>
              </th>
            </>
          }
          row={(r, i) => {
            const mark = marks.get(r.id);
            return (
              <tr
                key={r.id}
                aria-rowindex={i + 2}
                aria-selected={selected === r.id}
                className={mark === 'gone' ? 'gone' : mark === undefined ? undefined : 'changed'}
                onClick={() => page().select({ kind: 'ct', id: r.id })}
              >
                <td className="m">{r.proto}</td>
                <td className="m">
                  {ends(r.orig)}
                  {stacked && r.confirmed && <span className="under">{ends(r.reply)}</span>}
                </td>
                {!stacked && <td className="m">{r.confirmed ? ends(r.reply) : ''}</td>}
                <td className="m">
                  {r.state ?? ''}
                  {r.flags.includes('ASSURED') ? ' [ASSURED]' : ''}
                  {r.flags.includes('SEEN_REPLY') || !r.confirmed ? '' : ' [UNREPLIED]'}
                </td>
                <td className="m num">{r.confirmed ? thousands(r.seconds) : ''}</td>
                <td>{r.netns}</td>
                <td className="last">
                  {mark === undefined ? (
                    r.confirmed ? null : (
                      <span className="dim">{t.ctUnconfirmed}</span>
                    )
                  ) : (
                    <b className={mark === 'gone' ? 'c-drop' : 'c-rw'}>{says[mark]}</b>
                  )}
                  {mark !== 'gone' && (
                    <PinButton target={{ kind: 'row', map: 'nf.conntrack', key: r.id, seq: cursor }} />
                  )}
                </td>
              </tr>
            );
          }}
        />
      )}
    </div>
  );
}

export function NoMatch({ filter, clear }: { filter: string; clear: () => void }) {
  const t = useText();
  return (
    <div className="table-empty">
      <div className="empty">
        <b>{t.noRowMatches(filter)}</b>
        <button type="button" className="btn small" onClick={clear}>
          {t.clearFilter}
        </button>
      </div>
    </div>
  );
}
