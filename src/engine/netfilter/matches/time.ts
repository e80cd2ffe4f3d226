import { bang, opt } from '../match-util';
import { defineMatch, paramProblem } from '../xt';

interface TimeSpec {
  start: number;
  stop: number;
  /** Bit n: day n of the week, 1 Monday to 7 Sunday. */
  weekdays: number;
  weekdaysNot?: boolean;
  monthdays: number[];
  monthdaysNot?: boolean;
  contiguous?: boolean;
  kerneltz?: boolean;
}
const DAYS = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const ALL_DAYS = 0xfe;
const DAY_S = 86400;

function clock(text: string): number {
  const m = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text);
  const n = m ? Number(m[1]) * 3600 + Number(m[2]) * 60 + Number(m[3] ?? 0) : Number.NaN;
  if (!(n < DAY_S))
    throw paramProblem(`invalid time "${text}" specified, should be in hh:mm[:ss] format and within the boundaries`);
  return n;
}
const clockText = (s: number): string =>
  [Math.floor(s / 3600), Math.floor(s / 60) % 60, s % 60].map((n) => String(n).padStart(2, '0')).join(':');

/** Civil date of a day number since 1970-01-01 (days from civil, in integers). */
function monthDay(days: number): number {
  const z = days + 719468;
  const era = Math.floor(z / 146097);
  const doe = z - era * 146097;
  const yoe = Math.floor((doe - Math.floor(doe / 1460) + Math.floor(doe / 36524) - Math.floor(doe / 146096)) / 365);
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  return doy - Math.floor((153 * mp + 2) / 5) + 1;
}

/** xt_time, times of day, days of week and month by UTC. The simulated clock's zero is 1970-01-01, a Thursday. */
export const time = defineMatch<TimeSpec>({
  name: 'time',
  options: [
    opt('timestart', 1, false),
    opt('timestop', 1, false),
    opt('weekdays'),
    opt('monthdays'),
    opt('contiguous', 0, false),
    opt('kerneltz', 0, false),
    opt('utc', 0, false),
  ],
  hidden: true,
  init: () => ({ start: 0, stop: DAY_S - 1, weekdays: ALL_DAYS, monthdays: [] }),
  parse(s, o, [arg = ''], not) {
    if (o === 'timestart') s.start = clock(arg);
    else if (o === 'timestop') s.stop = clock(arg);
    else if (o === 'contiguous') s.contiguous = true;
    else if (o === 'kerneltz') s.kerneltz = true;
    else if (o === 'monthdays') {
      s.monthdays = arg.split(',').map(Number);
      if (s.monthdays.some((d) => !(d >= 1 && d <= 31))) throw paramProblem(`${arg} is an invalid for --monthdays`);
      if (not) s.monthdaysNot = true;
    } else if (o === 'weekdays') {
      s.weekdays = 0;
      for (const part of arg.split(',')) {
        const n = /^[1-7]$/.test(part)
          ? Number(part)
          : DAYS.findIndex(
              (d, i) => i > 0 && part.length >= 2 && d.toLowerCase().startsWith(part.slice(0, 3).toLowerCase()),
            );
        if (n < 1) throw paramProblem(`"${part}" is not a valid day specifier`);
        s.weekdays |= 1 << n;
      }
      if (not) s.weekdaysNot = true;
    }
  },
  print: (s) =>
    [
      ...(s.start !== 0 || s.stop !== DAY_S - 1
        ? [`--timestart ${clockText(s.start)} --timestop ${clockText(s.stop)}`]
        : []),
      ...(s.monthdays.length > 0 ? [`${bang(s.monthdaysNot)}--monthdays ${s.monthdays.join(',')}`] : []),
      ...(s.weekdays !== ALL_DAYS ? [`${bang(s.weekdaysNot)}--weekdays ${days(s)}`] : []),
      ...(s.kerneltz ? ['--kerneltz'] : []),
      ...(s.contiguous ? ['--contiguous'] : []),
    ].join(' '),
  list: (s) =>
    [
      'TIME',
      ...(s.start !== 0 || s.stop !== DAY_S - 1 ? [`from ${clockText(s.start)} to ${clockText(s.stop)}`] : []),
      ...(s.weekdays !== ALL_DAYS ? [`on ${bang(s.weekdaysNot)}${days(s)}`] : []),
      ...(s.monthdays.length > 0 ? [`on ${s.monthdays.join(',')}`] : []),
      ...(s.kerneltz ? ['UTC'] : []),
    ].join(' '),
  compile(s, env) {
    return () => {
      const now = Math.floor(env.world.nowUs / 1_000_000);
      const inDay = now % DAY_S;
      let day = Math.floor(now / DAY_S);
      if (s.start <= s.stop) {
        if (inDay < s.start || inDay > s.stop) return false;
      } else {
        if (inDay < s.start && inDay > s.stop) return false;
        if (s.contiguous && inDay <= s.stop) day -= 1;
      }
      const weekday = ((day + 3) % 7) + 1;
      if (((s.weekdays >> weekday) & 1) === (s.weekdaysNot ? 1 : 0)) return false;
      return s.monthdays.length === 0 || s.monthdays.includes(monthDay(day)) !== (s.monthdaysNot ?? false);
    };
  },
  value: (_s, _f, env) => clockText(Math.floor(env.world.nowUs / 1_000_000) % DAY_S),
});

const days = (s: TimeSpec): string => DAYS.filter((_, i) => i > 0 && (s.weekdays >> i) & 1).join(',');
