import { useState } from 'react';
import { dropCard, endpoint, placeText, tell } from '../../explain';
import { type EntryView, type Field, type Inspection, inspect, type RuleFacts, tupleEnds } from '../derive/inspect';
import { narrationAt } from '../derive/narrate';
import { access, asking, page, stepNumber, usePage } from '../model';
import { useReads } from '../read';
import { useNameOf } from '../read/names';
import { useCurrentLane } from '../timeline/useLanes';
import { REACHABLE } from '../ui/hooks';
import { Icon, PacketTag } from '../ui/Icon';
import { useText } from '../ui/messages';
import { PinButton } from '../ui/PinButton';
import { Prose } from '../ui/Prose';
import { spanText } from '../ui/time';
import './inspector.css';

/** What the step under the cursor did, to which packet, by which rule, from which entry, and why. */
export function Inspector() {
  const t = useText();
  const cursor = usePage((p) => p.cursor);
  const origin = usePage((p) => p.origin);
  const head = usePage((p) => p.head);
  const { events, spans } = access();
  const seen = cursor > origin ? inspect(events, spans, cursor) : undefined;
  return (
    <aside className="inspector" aria-label={t.regionInspector} data-region="inspector" {...REACHABLE}>
      {seen === undefined ? <Nothing empty={head <= origin} /> : <Seen seen={seen} />}
    </aside>
  );
}

function Nothing({ empty }: { empty: boolean }) {
  const t = useText();
  return (
    <section>
      <div className="empty">
        <b>{empty ? t.noRun : t.beforeRun}</b>
        <span>{empty ? t.noRunWhy : t.beforeRunWhy}</span>
        {!empty && (
          <button type="button" className="btn small" onClick={() => page().step('into')}>
            <Icon name="next" /> {t.stepForward}
          </button>
        )}
      </div>
    </section>
  );
}

function Seen({ seen }: { seen: Inspection }) {
  const closed = usePage(asking);
  return (
    <>
      {seen.drop !== undefined && <DropHead seen={seen} />}
      {seen.packet === undefined ? <EventSection seen={seen} /> : <PacketSection seen={seen} />}
      {seen.drop !== undefined && !closed && <FeltSection seen={seen} />}
      {seen.rule !== undefined && <RuleSection rule={seen.rule} />}
      {seen.rewrite?.how === 'reverse' && <NoRuleSection entry={seen.entry} />}
      {seen.route !== undefined && <RouteSection seen={seen} />}
      {seen.entry !== undefined && <EntrySection entry={seen.entry} closed={closed} />}
      {closed ? <LookUp /> : <WhySection />}
    </>
  );
}

function DropHead({ seen }: { seen: Inspection }) {
  const lang = usePage((p) => p.lang);
  const { spans } = access();
  const card = dropCard(seen.event, { lang, spans }, dialled(seen));
  if (card === undefined) return null;
  return (
    <section className="drop-head">
      <PacketTag direction="request" dropped />
      <div>
        <h2>
          {card.title}
          {lang === 'zh' ? '：' : ': '}
          {lower(card.cause.replace(/[.。]$/, ''))}
        </h2>
        <p>{card.place}</p>
      </div>
    </section>
  );
}

const lower = (text: string): string =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

/** The address that the program asked for, before any rule rewrote it. */
function dialled(seen: Inspection): { readonly ip: string; readonly port?: number } | undefined {
  const at = seen.wasTo === undefined ? undefined : /^\[?(.+?)\]?(?::(\d+))?$/.exec(seen.wasTo);
  if (at?.[1] === undefined) return undefined;
  return at[2] === undefined ? { ip: at[1] } : { ip: at[1], port: Number(at[2]) };
}

/** What the sender notices of a drop, and what its program prints. */
function FeltSection({ seen }: { seen: Inspection }) {
  const t = useText();
  const lang = usePage((p) => p.lang);
  const { spans } = access();
  const card = dropCard(seen.event, { lang, spans }, dialled(seen));
  if (card === undefined) return null;
  return (
    <section>
      <div className="sect">
        <h2>{t.senderSees}</h2>
      </div>
      <p className="mid felt">{card.client}</p>
      {card.prints.map((line) => (
        <p key={line} className="ruleline">
          {line}
        </p>
      ))}
    </section>
  );
}

function PacketSection({ seen }: { seen: Inspection }) {
  const t = useText();
  const lane = useCurrentLane();
  const main = seen.fields.filter((f) => f.before !== undefined || MAIN.has(f.name));
  const rest = seen.fields.filter((f) => !main.includes(f));
  return (
    <section>
      <div className="sect">
        <PacketTag direction={lane?.direction ?? 'request'} />
        <h2>{lane === undefined ? t.packetSays : t.packetN(lane.number, lane.direction)}</h2>
        <span className="end">
          {seen.changed > 0 ? t.fieldsChanged(seen.changed, seen.fields.length) : (lane?.label ?? '')}
        </span>
        <PinButton target={{ kind: 'event', seq: seen.event.seq }} loud />
      </div>
      <table className="fields">
        <tbody>
          {main.map((f) => (
            <FieldRow key={f.name} field={f} step={seen.event.seq} />
          ))}
          {[rest.filter((f) => FIRST.has(f.name)), rest.filter((f) => !FIRST.has(f.name))].map(
            (row) =>
              row.length > 0 && (
                <tr key={row[0]?.name}>
                  <th scope="row">{row[0]?.name}</th>
                  <td>
                    {row.map((f, i) => (
                      <span key={f.name} className="pair">
                        {i > 0 && <span className="dim">{f.name} </span>}
                        {f.value === '' ? '-' : f.value}
                      </span>
                    ))}
                  </td>
                </tr>
              ),
          )}
          {seen.wasTo !== undefined && seen.changed === 0 && lane?.direction === 'request' && (
            <tr>
              <th scope="row" />
              <td className="dim">{t.wasDestination(seen.wasTo)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}

const MAIN = new Set(['src', 'dst', 'sport', 'dport', 'type']);
/** What shares the first of the two short lines. */
const FIRST = new Set(['flags', 'proto', 'id']);

function FieldRow({ field, step }: { field: Field; step: number }) {
  return (
    <tr className={field.before === undefined ? undefined : 'changed'}>
      <th scope="row">{field.name}</th>
      <td>
        {field.before === undefined ? (
          field.value
        ) : (
          <span className="flip" key={step}>
            <del className="old">{field.before}</del> <span className="dim">→</span> <ins>{field.value}</ins>
          </span>
        )}
      </td>
    </tr>
  );
}

/** The target and all after it, set strong in the rule's line. */
function ruleParts(text: string): [string, string] {
  const at = Math.max(text.indexOf(' -j '), text.indexOf(' -g '));
  return at < 0 ? [text, ''] : [text.slice(0, at + 4), text.slice(at + 4)];
}

function RuleSection({ rule }: { rule: RuleFacts }) {
  const t = useText();
  const [condition, target] = ruleParts(rule.text);
  return (
    <section>
      <div className="sect">
        <h2>
          {t.ruleOf(rule.number, rule.rules)} <span className="mono strong">{rule.chain}</span>
        </h2>
      </div>
      <p className="ruleline">
        {condition}
        <b>{target}</b>
      </p>
      {rule.matches.length > 0 && (
        <table className="matches">
          <tbody>
            {rule.matches.map((m) => (
              <tr key={m.name}>
                <td className={m.ok ? 'c-rep' : 'c-drop'}>
                  <Icon name={m.ok ? 'check' : 'cross'} />
                  <span className="vh">{m.ok ? t.matchedYes : t.matchedNo}</span>
                </td>
                <th scope="row">{m.name}</th>
                <td>{m.value === '' ? <span className="words">{t.matchAlways}</span> : m.value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rule.draw !== undefined && <p className="mid draw">{t.drew(share(rule.draw.value), share(rule.draw.below))}</p>}
    </section>
  );
}

/** A draw of 31 bits as the fraction that the rule's own probability is written in. */
const share = (n: number): string => (n / 0x80000000).toFixed(3);

function NoRuleSection({ entry }: { entry: EntryView | undefined }) {
  const t = useText();
  const origin = usePage((p) => p.origin);
  return (
    <section>
      <div className="sect">
        <h2>{t.noRule}</h2>
      </div>
      <table className="matches">
        <tbody>
          <tr>
            <td className="dim">
              <Icon name="dash" />
            </td>
            <th scope="row" className="words">
              {t.natRulesRead}
            </th>
            <td>0</td>
          </tr>
          {entry !== undefined && (
            <>
              <tr>
                <td className="c-rep">
                  <Icon name="check" />
                </td>
                <th scope="row" className="words">
                  {t.entryFoundAt(entry.seq - origin)}
                </th>
                <td>{entry.info}</td>
              </tr>
              <tr>
                <td className="c-rep">
                  <Icon name="check" />
                </td>
                <th scope="row" className="words">
                  {t.direction}
                </th>
                <td>{entry.dir}</td>
              </tr>
            </>
          )}
        </tbody>
      </table>
    </section>
  );
}

function RouteSection({ seen }: { seen: Inspection }) {
  const t = useText();
  const r = seen.route;
  if (r === undefined) return null;
  const rows: [string, string | undefined][] = [
    [t.routeResult, r.result],
    [t.routeDev, r.oif?.replace(/^.*:/, '')],
    [t.routeVia, r.via],
  ];
  return (
    <section>
      <div className="sect">
        <h2>{t.routeTaken}</h2>
      </div>
      <table className="matches plain">
        <tbody>
          {rows
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => (
              <tr key={name}>
                <th scope="row" className="words">
                  {name}
                </th>
                <td>{value}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}

function EntrySection({ entry, closed }: { entry: EntryView; closed: boolean }) {
  const t = useText();
  const orig = tupleEnds(entry.ct.orig);
  const reply = tupleEnds(entry.ct.reply);
  const replyTo = endpoint(entry.ct.reply.dst, entry.ct.reply.dport);
  const state = [entry.ct.state, entry.timeoutUs === undefined ? undefined : spanText(entry.timeoutUs)]
    .filter((s) => s !== undefined)
    .join(', ');
  return (
    <section>
      <div className="sect">
        <h2>{t.conntrack}</h2>
        <span className="end">{entry.inTable ? state : t.notInTable}</span>
      </div>
      <Tuple
        name={t.tupleOriginal}
        side="request"
        left={orig.src}
        right={orig.dst}
        on={entry.inTable && entry.dir === 'original'}
        rewritten={false}
      />
      {!closed && (
        <Tuple
          name={t.tupleReply}
          side="reply"
          left={replyTo}
          right={reply.src}
          on={entry.inTable && entry.dir === 'reply'}
          rewritten={reply.src !== orig.dst || replyTo !== orig.src}
        />
      )}
      {entry.ct.status.length > 0 && <p className="dim status mono">{entry.ct.status.join(' ')}</p>}
    </section>
  );
}

function Tuple({
  name,
  side,
  left,
  right,
  on,
  rewritten,
}: {
  name: string;
  side: 'request' | 'reply';
  left: string;
  right: string;
  on: boolean;
  rewritten: boolean;
}) {
  return (
    <div className={`tuple ${side}${on ? ' on' : ''}`}>
      <b>{name}</b>
      <span className="ends">
        <span className="mono">{left}</span>
        <svg width="100%" height="14" viewBox="0 0 64 14" preserveAspectRatio="none" aria-hidden="true">
          <path d={side === 'request' ? 'M0 7H60' : 'M4 7H64'} className="shaft" vectorEffect="non-scaling-stroke" />
        </svg>
        <svg className="head" width="9" height="14" viewBox="0 0 9 14" aria-hidden="true">
          <path d={side === 'request' ? 'M1 1l7 6-7 6' : 'M8 1L1 7l7 6'} />
        </svg>
        <span className={`mono${rewritten ? ' written' : ''}`}>{right}</span>
      </span>
    </div>
  );
}

/** An event that is no packet's: what it says, and which records it changed. */
function EventSection({ seen }: { seen: Inspection }) {
  const t = useText();
  const lang = usePage((p) => p.lang);
  const number = usePage(stepNumber);
  const { spans } = access();
  const told = tell(seen.event, { lang, spans });
  const place = placeText(seen.event, lang, spans);
  const rules = useReads().ruleDiff(seen.event.diff);
  const diff = rules.length > 0 ? [] : seen.event.diff;
  return (
    <section>
      <div className="sect">
        <h2>{t.stepHere(number)}</h2>
        <span className="end">{place}</span>
      </div>
      <p className="why">
        <Prose text={told.what} />
      </p>
      {told.changed !== undefined && (
        <p className="mid">
          <Prose text={told.changed} />
        </p>
      )}
      {rules.length > 0 && <RuleDiff rules={rules} />}
      {diff.length > 0 && (
        <>
          <div className="sect records-head">{t.changedRecords}</div>
          <ul className="records">
            {diff.slice(0, 8).map((c) => (
              <li key={`${c.map}|${c.key}`}>
                <span className="mono clip">{c.key}</span>
                <span className="dim">
                  {c.before === undefined ? t.recordMade : c.after === undefined ? t.recordGone : t.recordChanged}
                </span>
              </li>
            ))}
            {diff.length > 8 && <li className="dim">{t.moreRecords(diff.length - 8)}</li>}
          </ul>
        </>
      )}
    </section>
  );
}

/** Lines that a sync took away and added, in the order of the chains. */
function RuleDiff({ rules }: { rules: ReturnType<ReturnType<typeof useReads>['ruleDiff']> }) {
  const t = useText();
  const [all, setAll] = useState(false);
  const shown = all ? rules : rules.slice(0, 12);
  const added = rules.filter((r) => r.sign === '+').length;
  return (
    <>
      <div className="sect records-head">
        {t.rulesWritten}
        <span className="end">
          <b className="c-rep">+{added}</b> <b className="c-drop">−{rules.length - added}</b>
        </span>
      </div>
      <ul className="rule-diff">
        {shown.map((r) => (
          <li key={r.sign + r.text} className={r.sign === '+' ? 'added' : 'removed'}>
            <span aria-hidden="true">{r.sign === '+' ? '+' : '−'}</span>
            <span className="vh">{r.sign === '+' ? t.recordMade : t.recordGone}: </span>
            {r.text}
          </li>
        ))}
      </ul>
      {shown.length < rules.length && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          {t.moreRecords(rules.length - shown.length)}
        </button>
      )}
    </>
  );
}

function LookUp() {
  const t = useText();
  return (
    <section>
      <div className="sect">
        <h2>{t.mayLookUp}</h2>
      </div>
      <p className="mid">{t.mayLookUpWhy}</p>
    </section>
  );
}

function WhySection() {
  const t = useText();
  const cursor = usePage((p) => p.cursor);
  const lang = usePage((p) => p.lang);
  const nameOf = useNameOf();
  const told = narrationAt(access(), cursor, lang, nameOf);
  if (told === undefined) return null;
  const event = access().events[cursor - 1];
  const packet = (event?.facts as { packet?: unknown } | null)?.packet !== undefined;
  const parts = [packet ? told.what : undefined, told.why].filter((p): p is string => p !== undefined);
  if (parts.length === 0) return null;
  return (
    <section>
      <div className="sect">
        <h2>{t.why}</h2>
      </div>
      {parts.map((p, i) => (
        <p key={p} className={i === parts.length - 1 ? 'why' : 'why-what mid'}>
          <Prose text={/[.。]$/.test(p) ? p : `${p}${lang === 'zh' ? '。' : '.'}`} />
        </p>
      ))}
    </section>
  );
}
