import { access, asking, page, stepNumber, stepTotal, usePage } from '../model';
import { Icon, type IconName } from '../ui/Icon';
import { useText } from '../ui/messages';
import { clockText } from '../ui/time';

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];

interface ActProps {
  icon: IconName;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  keys?: string;
}

function Act({ icon, label, onClick, disabled, keys }: ActProps) {
  return (
    <button
      type="button"
      className="btn quiet small icon"
      aria-label={label}
      title={keys === undefined ? label : `${label} ${keys}`}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

export function SpeedSelect() {
  const t = useText();
  const speed = usePage((p) => p.playhead.speed);
  return (
    <select
      className="chip speed"
      aria-label={t.speed}
      value={speed}
      onChange={(e) => page().setSpeed(Number(e.target.value))}
    >
      {SPEEDS.map((s) => (
        <option key={s} value={s}>
          {s}×
        </option>
      ))}
    </select>
  );
}

/** Step, over, out, back, run to, play: each is there only where it works. */
export function Transport({ loud = false }: { loud?: boolean }) {
  const t = useText();
  const playing = usePage((p) => p.playhead.playing);
  const closed = usePage(asking);
  const atStart = usePage((p) => p.cursor <= p.origin);
  const atEnd = usePage((p) => p.cursor >= p.horizon);
  const { step, play, pause } = page();
  return (
    <div className="transport" role="toolbar" aria-label={t.regionTimeline}>
      <Act icon="overBack" label={t.stepOverBack} keys="⇧←" disabled={atStart} onClick={() => step('over', -1)} />
      <Act icon="previous" label={t.stepBack} keys="←" disabled={atStart} onClick={() => step('into', -1)} />
      <button
        type="button"
        className={`btn small play${loud && !atEnd ? ' primary' : ''}`}
        aria-label={playing ? t.pause : t.play}
        title={playing ? t.pause : t.play}
        disabled={atEnd && !playing}
        onClick={() => (playing ? pause() : play())}
      >
        <Icon name={playing ? 'pause' : 'play'} />
      </button>
      <Act icon="next" label={t.stepForward} keys="→" disabled={atEnd} onClick={() => step('into')} />
      <Act icon="over" label={t.stepOver} keys="⇧→" disabled={atEnd} onClick={() => step('over')} />
      <Act icon="out" label={t.stepOut} disabled={atEnd} onClick={() => step('out')} />
      {closed ? (
        <span className="transport-note">{t.forwardClosed}</span>
      ) : (
        <span className="transport-runs">
          <button type="button" className="btn quiet small" disabled={atEnd} onClick={() => step('nextRewrite')}>
            <Icon name="rewrite" />
            {t.nextRewrite}
          </button>
          <button type="button" className="btn quiet small" disabled={atEnd} onClick={() => step('over')}>
            {t.stepOver} <span className="kbd">⇧→</span>
          </button>
          <button type="button" className="btn quiet small" disabled={atEnd} onClick={() => step('untilReply')}>
            {t.untilReply}
          </button>
          <SpeedSelect />
        </span>
      )}
      <Position />
    </div>
  );
}

/** `step 17 of 118 | clock 12.000 214 s`. */
export function Position() {
  const t = useText();
  const number = usePage(stepNumber);
  const total = usePage(stepTotal);
  const us = usePage((p) => access().events[p.cursor - 1]?.atUs ?? 0);
  // The first number in it is the step's own, in both languages.
  const text = t.stepOf(number, total);
  const digits = String(number);
  const at = text.indexOf(digits);
  return (
    <span className="position">
      <span>
        {text.slice(0, at)}
        <b>{digits}</b>
        {text.slice(at + digits.length)}
      </span>
      <i aria-hidden="true">|</i>
      <span>
        {t.clock} <span className="mono strong-mono">{clockText(us)}</span>
      </span>
    </span>
  );
}
