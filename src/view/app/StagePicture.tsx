import { useEffect, useMemo, useRef } from 'react';
import { narrate } from '../derive/narrate';
import { access, asking, page, stepTotal, usePage } from '../model';
import { Stage } from '../path/Stage';
import { useLessonLink, usePinning } from '../pins';
import { useReads } from '../read';
import { namesOf } from '../read/names';
import { PacketIndex } from '../scene/select';
import type { SceneInput } from '../scene/types';
import { useReducedMotion, useSize } from '../ui/hooks';
import { setLayout, useLayout } from './layout';

const packets = new PacketIndex(access());
/** Height that map and hooks together ask for, roughly (px). */
const ENOUGH = 560;
const CLOSING = new Set(['FIN_WAIT', 'CLOSE_WAIT', 'LAST_ACK', 'TIME_WAIT', 'CLOSE']);

/** The stage for the page's own world at its cursor. */
export function StagePicture() {
  const reads = useReads();
  const cursor = usePage((p) => p.cursor);
  const horizon = usePage((p) => p.horizon);
  const origin = usePage((p) => p.origin);
  const closed = usePage(asking);
  const total = usePage(stepTotal);
  const lang = usePage((p) => p.lang);
  const phase = usePage((p) => p.playhead.phase);
  const chosen = useLayout((l) => l.level);
  const [measure, size] = useSize<HTMLDivElement>();
  const still = useReducedMotion();
  const pin = usePinning();
  const predicted = useLessonLink((l) => l.predicted)(cursor);
  const chain = predicted?.chain;
  const pinnedRules = useLessonLink((l) => l.pinnedRules);

  const input = useMemo((): SceneInput => {
    const { events, spans } = access();
    const event = cursor > origin ? events[cursor - 1] : undefined;
    const found = cursor > origin ? packets.at(cursor, horizon, origin) : undefined;
    const full = event?.kind === 'pkt.drop' || event?.kind === 'ct.full' ? (event.where.netns ?? '') : undefined;
    const rows = full === undefined ? [] : reads.conntrack().filter((r) => r.netns === full && r.confirmed);
    const lines = full === undefined ? [] : reads.kernelLog().filter((l) => l.node === event?.where.node);
    return {
      topology: reads.topology(),
      hooks: reads.hooks(),
      event,
      cursor,
      horizon,
      asking: closed,
      packet: found?.packet,
      packetEvents: found?.events ?? [],
      spans,
      rules: reads.chain,
      ...(full === undefined
        ? {}
        : {
            conntrack: {
              count: rows.length,
              max: reads.conntrackMax(full) ?? 0,
              assured: rows.filter((r) => r.flags.includes('ASSURED')).length,
              closing: rows.filter((r) => CLOSING.has(r.state ?? '')).length,
            },
            ...(lines.length === 0 ? {} : { kernelLine: lines[lines.length - 1]?.line }),
          }),
      ...(chain === undefined ? {} : { predicted: { chain } }),
      pinnedRules,
    };
  }, [reads, cursor, horizon, origin, closed, chain, pinnedRules]);

  // Where the room is too low for both, the hooks come near and the map becomes a strip over them.
  const level = chosen ?? (size.height > 0 && size.height < ENOUGH && input.packet !== undefined ? 'hook' : 'node');
  useEffect(() => setLayout({ shown: level }), [level]);

  // The packet stays in view: a stage that is higher than its room moves as little as that needs.
  const room = useRef<HTMLDivElement | null>(null);
  useEffect(() => {
    if (cursor === 0) return;
    const glyphs = room.current?.querySelectorAll('.g-glyph') ?? [];
    glyphs[glyphs.length - 1]?.scrollIntoView({ block: 'nearest' });
  }, [cursor]);

  return (
    <div
      className="stage-picture"
      ref={(el) => {
        room.current = el;
        return measure(el);
      }}
    >
      <Stage
        input={input}
        phase={still ? 1 : phase}
        still={still}
        lang={lang}
        narration={narrate(access(), cursor, origin, total, lang, namesOf(reads))}
        level={level}
        onLevel={(next) => setLayout({ level: next })}
        onSelect={(s) => page().select(s)}
        {...(pin === undefined ? {} : { onPin: pin })}
      />
    </div>
  );
}
