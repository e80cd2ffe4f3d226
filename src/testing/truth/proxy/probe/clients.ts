import { assert } from '../../../../engine/base/assert';
import { compareLists, compareSets, type Difference } from '../compare';
import { echoOnce, hold } from './programs';
import { compareEcho, compareHold, maskText, outcome, textLines } from './results';
import type { Steer } from './steer';
import type { Attempt, Client, FromPlace, Result } from './types';
import type { ProbeWorld } from './world';

type Rec = { readonly [key: string]: unknown };

const proto = (c: Client): 'tcp' | 'udp' => (c.op.startsWith('udp') ? 'udp' : 'tcp');
const place = (c: Client): FromPlace => {
  assert(c.fromPlace, `client ${c.op} has no place`);
  return c.fromPlace;
};
const US = 1e6;

/** Recorded outcomes of an echo client, one per attempt, as far as they are known. */
function wishes(want: Rec, attempts: number): (string | undefined)[] {
  if (Array.isArray(want.attempts)) return (want.attempts as Rec[]).map(outcome);
  if (want.ok !== undefined) return [outcome(want)];
  if (Array.isArray(want.sequence)) return want.sequence as string[];
  const first = want.first ? [outcome(want.first as Rec)] : [];
  const left = Object.entries((want.counts ?? {}) as Record<string, number>).flatMap(([k, n]) =>
    new Array<string>(k === first[0] ? n - 1 : n).fill(k),
  );
  const all = [...first, ...left];
  return Array.from({ length: attempts }, (_, i) => all[i]);
}

/** Runs the attempts of an echo client, each steered to what was recorded where the node may choose. */
export function runEcho(world: ProbeWorld, steer: Steer, c: Client, want: Rec): Attempt[] {
  const n = c.attempts ?? 1;
  const wish = wishes(want, n);
  const backends = wish.filter((w): w is string => w !== undefined && /^(pod|host|outside)-/.test(w));
  const out: Attempt[] = [];
  for (let i = 0; i < n; i++) {
    const w = wish[i];
    const isBackend = w !== undefined && backends.includes(w);
    steer.next(isBackend ? steer.indexOf(c, w) : w === undefined ? undefined : steer.otherThan(c, backends));
    const from = place(c).sourcePort;
    const dial = {
      proto: proto(c),
      to: c.to ?? '',
      sourcePort: from === undefined ? undefined : from + i,
      timeoutUs: (c.timeoutS ?? 3) * US,
    };
    let got: Attempt | undefined;
    const program = echoOnce(dial, (a) => {
      got = a;
    });
    world.finish(world.spawn(place(c), program, ['ptool', 'get', c.to ?? '']));
    assert(got, 'the client said nothing');
    out.push(got);
    // The next connection of the recorder came a moment later, after the last one was over.
    world.wait(20_000 + (c.gapS ?? 0) * US);
  }
  steer.next(undefined);
  return out;
}

/** A held connection that is under way. */
export interface Held {
  readonly pid: string;
  readonly lines: Attempt[];
}

export function startHold(world: ProbeWorld, steer: Steer, c: Client, want: readonly Rec[] | undefined): Held {
  const first = want?.find((l) => l.ok);
  steer.next(first ? steer.indexOf(c, outcome(first)) : undefined);
  const lines: Attempt[] = [];
  const dial = { proto: proto(c), to: c.to ?? '', sourcePort: place(c).sourcePort, timeoutUs: (c.timeoutS ?? 1) * US };
  const program = hold(dial, c.lines ?? 1, (c.gapS ?? 0.5) * US, (a) => {
    lines.push(a);
  });
  return { pid: world.spawn(place(c), program, ['ptool', 'hold', c.to ?? '']), lines };
}

/** Whether the recorded lines change from one backend to another: an endpoint was removed on the way. */
const moves = (want: readonly Rec[]): boolean => new Set(want.filter((l) => l.ok).map(outcome)).size > 1;

export const checkHold = (h: Held, want: Result): Difference => {
  if (typeof want.lines === 'number') {
    const good = h.lines.filter((l) => l.ok).length;
    const want2 = `${String(want.okLines)} of ${want.lines}`;
    return `${good} of ${h.lines.length}` === want2
      ? undefined
      : `lines: expected ${want2} ; got ${good} of ${h.lines.length}`;
  }
  const lines = want.lines as readonly Rec[];
  return compareHold(h.lines, lines, moves(lines));
};

/** Clients that are neither echo nor hold; undefined: equal. */
export function runOther(world: ProbeWorld, steer: Steer, c: Client, want: Result): Difference {
  switch (c.op) {
    case 'ping': {
      const argv = [
        'ping',
        '-n',
        '-c',
        String(c.attempts),
        '-i',
        String(c.intervalS),
        '-W',
        String(c.timeoutS),
        c.to ?? '',
      ];
      return compareText(world.run(place(c), argv), want);
    }
    case 'http-get':
      return compareText(world.run(place(c), ['curl', '-s', '-S', '-m', '3', '-i', c.to ?? '']), want);
    case 'tcp-echo-until-ok':
      return untilOk(world, c, want);
    case 'ss': {
      const r = world.run(place(c), ['ss', ...(c.args ?? '').split(' ')]);
      const lines = r.stdout.split('\n').filter((l) => l.includes(c.grep ?? ''));
      return compareLists('ss', lines, want.ssLinesWith30080 as string[]);
    }
    case 'read-xt-recent':
      return compareRecent(world.recent(String(place(c).name)), want.procNetXtRecent as string[]);
    case 'read-dmesg': {
      const mask = (l: string): string => l.replace(/^\[[^\]]*\] /, '').replace(/netns \d+/, 'netns N');
      const lines = world
        .run(place(c), ['dmesg'])
        .stdout.split('\n')
        .filter((l) => l.includes(c.grep ?? ''));
      return compareLists('dmesg', [...new Set(lines.map(mask))].sort(), (want.dmesg as string[]).map(mask));
    }
    case 'read-proxy-log':
      return compareLog(world.log(String(place(c).name)), c, want.log as string[]);
    case 'dump-nat-rules':
      return compareSets('nat', world.natRules(String(place(c).name)), want.nat as string[]);
    default:
      return `client ${c.op} cannot be replayed (${steer ? 'iptables' : ''} mode)`;
  }
}

function compareText(got: { stdout: string; stderr: string; exit: number }, want: Result): Difference {
  const lines = want.stdout as string[] | undefined;
  const keepEmpty = lines?.includes('') && !lines.some((l) => l.startsWith('HTTP/'));
  if (got.exit !== want.exit)
    return `exit: expected ${String(want.exit)} ; got ${got.exit} (${got.stdout}${got.stderr})`;
  // The length of a body with masked times follows from it.
  const timed = (lines ?? []).some((l) => l.includes('"lastUpdated"'));
  const counts = (l: string): boolean => !(timed && l.startsWith('Content-Length: '));
  const shown = textLines(got.stdout, keepEmpty ?? false).filter(counts);
  const wanted = (lines ?? [])
    .map(maskText)
    .filter((l) => keepEmpty || l !== '')
    .filter(counts);
  const d = compareLists('stdout', keepEmpty ? trimEnd(shown) : shown, keepEmpty ? trimEnd(wanted) : wanted);
  if (d) return d;
  const stderr = maskText(String(want.stderr ?? ''));
  return maskText(got.stderr) === stderr ? undefined : `stderr: expected ${stderr} ; got ${maskText(got.stderr)}`;
}

const trimEnd = (lines: readonly string[]): string[] => {
  const out = [...lines];
  while (out.at(-1) === '') out.pop();
  return out;
};

function untilOk(world: ProbeWorld, c: Client, want: Result): Difference {
  const start = world.ctx.sim.now;
  const give = start + (c.giveUpS ?? 60) * US;
  while (world.ctx.sim.now < give) {
    let got: Attempt | undefined;
    const dial = { proto: 'tcp' as const, to: c.to ?? '', timeoutUs: (c.timeoutS ?? 1) * US };
    world.finish(
      world.spawn(
        place(c),
        echoOnce(dial, (a) => {
          got = a;
        }),
        ['ptool', 'get', c.to ?? ''],
      ),
    );
    if (got?.ok) {
      const s = (world.ctx.sim.now - start) / US;
      if (want.recoveredAfterS === null) return `recovered after ${s} s, where nothing recovered`;
      return s <= 31 ? undefined : `recovered after ${s} s`;
    }
    world.wait((c.gapS ?? 0.5) * US);
  }
  return want.recoveredAfterS === null ? undefined : `not recovered after ${String(c.giveUpS)} s`;
}

/** Tables by name; sources, ttl and number of stamps as a whole, since which table holds a source is chance. */
function compareRecent(got: readonly string[], want: readonly string[]): Difference {
  const names = (l: readonly string[]): string[] => l.map((x) => x.slice(0, x.indexOf(':')));
  const d = compareSets('xt_recent tables', names(got), names(want));
  if (d) return d;
  const entries = (l: readonly string[]): string[] =>
    l.flatMap((x) =>
      x
        .slice(x.indexOf(':') + 1)
        .split(';')
        .map((e) => e.trim())
        .filter((e) => e !== '')
        .map((e) => `${/src=(\S+) ttl: (\d+)/.exec(e)?.[0]} stamps ${e.split(',').length}`),
    );
  return compareSets('xt_recent entries', entries(got), entries(want));
}

/** Sync lines only: message and key=value part, without times and source lines. */
function compareLog(lines: readonly string[], c: Client, want: readonly string[]): Difference {
  const grep = new RegExp(c.grep ?? '');
  const shown = lines
    .filter((l) => grep.test(l) && !(c.exclude ?? []).some((x) => l.includes(x)))
    .slice(-(c.last ?? 10));
  const body = (l: string): string | undefined => {
    const text = l.slice(l.indexOf('] ') + 2);
    return /^"Syncing |sync failed|^"Sync failed/.test(text) ? text : undefined;
  };
  const pick = (l: readonly string[]): string[] => l.flatMap((x) => body(x) ?? []);
  return compareLists('log', pick(shown), pick(want));
}

/** Echo results against the record. */
export const checkEcho = (got: readonly Attempt[], want: Result, c: Client): Difference => compareEcho(got, want, c);
