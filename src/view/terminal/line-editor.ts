/** The line under the prompt: a pure editor with history, search and a kill buffer, as readline has it. */
export interface EditLine {
  readonly text: string;
  /** Caret, 0..text.length. */
  readonly at: number;
  /** Place in the history while going through it; undefined: the line of one's own. */
  readonly back: number | undefined;
  /** One's own line, kept while going through the history. */
  readonly own: string;
  readonly killed: string;
  readonly search: { readonly query: string; readonly found: number | undefined } | undefined;
}

export const EMPTY: EditLine = { text: '', at: 0, back: undefined, own: '', killed: '', search: undefined };

export type Effect =
  | { readonly do: 'none' }
  | { readonly do: 'submit'; readonly line: string }
  | { readonly do: 'complete' }
  | { readonly do: 'interrupt' }
  | { readonly do: 'clear' }
  | { readonly do: 'leave' };

const NONE: Effect = { do: 'none' };
type Step = readonly [EditLine, Effect];

const put = (l: EditLine, text: string, at: number): EditLine => ({ ...l, text, at, back: undefined, own: text });

/** Inserts text at the caret. */
export function insert(l: EditLine, text: string): EditLine {
  return put(l, l.text.slice(0, l.at) + text + l.text.slice(l.at), l.at + text.length);
}

/** Takes out from..to; `keep` puts it into the kill buffer. */
function cut(l: EditLine, from: number, to: number, keep: boolean): EditLine {
  if (from >= to) return l;
  const killed = keep ? l.text.slice(from, to) : l.killed;
  return { ...put(l, l.text.slice(0, from) + l.text.slice(to), from), killed };
}

const wordLeft = (l: EditLine, at = l.at): number => {
  let i = at;
  while (i > 0 && !/[A-Za-z0-9]/.test(l.text[i - 1] as string)) i--;
  while (i > 0 && /[A-Za-z0-9]/.test(l.text[i - 1] as string)) i--;
  return i;
};
const wordRight = (l: EditLine): number => {
  let i = l.at;
  while (i < l.text.length && !/[A-Za-z0-9]/.test(l.text[i] as string)) i++;
  while (i < l.text.length && /[A-Za-z0-9]/.test(l.text[i] as string)) i++;
  return i;
};
/** Ctrl-W rubs out up to a blank, not up to a letter. */
const blankLeft = (l: EditLine): number => {
  let i = l.at;
  while (i > 0 && l.text[i - 1] === ' ') i--;
  while (i > 0 && l.text[i - 1] !== ' ') i--;
  return i;
};

function throughHistory(l: EditLine, history: readonly string[], by: -1 | 1): EditLine {
  const from = l.back ?? history.length;
  const to = from + by;
  if (to < 0 || to > history.length) return l;
  const own = l.back === undefined ? l.text : l.own;
  const text = to === history.length ? own : (history[to] as string);
  return { ...l, text, at: text.length, back: to === history.length ? undefined : to, own };
}

/** Newest line before `from` that holds `query`. */
function find(history: readonly string[], query: string, from: number): number | undefined {
  for (let i = from; i >= 0; i--) if (query !== '' && (history[i] as string).includes(query)) return i;
  return undefined;
}

function searchKey(l: EditLine, key: string, history: readonly string[]): Step | undefined {
  const s = l.search;
  if (s === undefined) return undefined;
  const settle = (): EditLine => {
    const text = s.found === undefined ? l.text : (history[s.found] as string);
    return { ...l, text, at: text.length, search: undefined, own: text };
  };
  // The line that was found shows at once; the reader's own comes back when the search is given up.
  const look = (query: string, from: number): Step => {
    const found = find(history, query, from) ?? (query === '' ? undefined : s.found);
    const text = found === undefined ? l.own : (history[found] as string);
    return [{ ...l, text, at: text.length, search: { query, found } }, NONE];
  };
  switch (key) {
    case '\x12':
      return look(s.query, (s.found ?? history.length) - 1);
    case '\x7f':
      return look(s.query.slice(0, -1), history.length - 1);
    case '\x07':
    case '\x03':
    case '\x1b':
      return [{ ...l, text: l.own, at: l.own.length, search: undefined }, NONE];
    case '\r': {
      const done = settle();
      return [EMPTY_AFTER(done), { do: 'submit', line: done.text }];
    }
    default:
      if (key >= ' ' && !key.startsWith('\x1b')) return look(s.query + key, history.length - 1);
      return keyOf(settle(), key, history);
  }
}

const EMPTY_AFTER = (l: EditLine): EditLine => ({ ...EMPTY, killed: l.killed });

const lastWord = (line: string | undefined): string => line?.trim().split(/\s+/).pop() ?? '';

/** One key, as a terminal sends it. */
export function keyOf(l: EditLine, key: string, history: readonly string[]): Step {
  const inSearch = searchKey(l, key, history);
  if (inSearch !== undefined) return inSearch;
  const stay = (line: EditLine): Step => [line, NONE];
  const move = (at: number): Step => [{ ...l, at: Math.max(0, Math.min(l.text.length, at)) }, NONE];
  switch (key) {
    case '\r':
      return [EMPTY_AFTER(l), { do: 'submit', line: l.text }];
    case '\t':
      return [l, { do: 'complete' }];
    case '\x03':
      return [EMPTY_AFTER(l), { do: 'interrupt' }];
    case '\x04':
      return l.text === '' ? [l, { do: 'leave' }] : stay(cut(l, l.at, l.at + 1, false));
    case '\x0c':
      return [l, { do: 'clear' }];
    case '\x7f':
      return stay(cut(l, Math.max(0, l.at - 1), l.at, false));
    case '\x1b[3~':
      return stay(cut(l, l.at, Math.min(l.text.length, l.at + 1), false));
    case '\x1b[D':
    case '\x02':
      return move(l.at - 1);
    case '\x1b[C':
    case '\x06':
      return move(l.at + 1);
    case '\x1b[1;5D':
    case '\x1b[1;3D':
    case '\x1bb':
      return move(wordLeft(l));
    case '\x1b[1;5C':
    case '\x1b[1;3C':
    case '\x1bf':
      return move(wordRight(l));
    case '\x1b[H':
    case '\x1bOH':
    case '\x1b[1~':
    case '\x01':
      return move(0);
    case '\x1b[F':
    case '\x1bOF':
    case '\x1b[4~':
    case '\x05':
      return move(l.text.length);
    case '\x1b[A':
    case '\x10':
      return stay(throughHistory(l, history, -1));
    case '\x1b[B':
    case '\x0e':
      return stay(throughHistory(l, history, 1));
    case '\x15':
      return stay(cut(l, 0, l.at, true));
    case '\x0b':
      return stay(cut(l, l.at, l.text.length, true));
    case '\x17':
      return stay(cut(l, blankLeft(l), l.at, true));
    case '\x1bd':
      return stay(cut(l, l.at, wordRight(l), true));
    case '\x1b\x7f':
      return stay(cut(l, wordLeft(l), l.at, true));
    case '\x19':
      return stay(insert(l, l.killed));
    case '\x1b.':
      return stay(insert(l, lastWord(history[history.length - 1])));
    case '\x12':
      return stay({ ...l, own: l.text, search: { query: '', found: undefined } });
    default:
      return key >= ' ' && !key.startsWith('\x1b') ? stay(insert(l, key)) : stay(l);
  }
}

/** Escape, as the first byte of every key that has no letter. */
const ESC = String.fromCharCode(27);
const KEY = new RegExp(`${ESC}(?:\\[[0-9;]*[A-Za-z~]|O[A-Z]|[\\s\\S])|[\\s\\S]`, 'gu');

/** Splits what a terminal sent at once into keys: escape sequences stay whole. */
export function keysIn(data: string): readonly string[] {
  return data.match(KEY) ?? [];
}

/** The word before the caret, which completion replaces. */
export function wordAtCaret(l: EditLine): string {
  return /[^\s|;&<>()=]*$/.exec(l.text.slice(0, l.at))?.[0] ?? '';
}

/** The longest start that all words share. */
export function commonStart(words: readonly string[]): string {
  let start = words[0] ?? '';
  for (const w of words) while (!w.startsWith(start)) start = start.slice(0, -1);
  return start;
}

/** Puts a completion in place of the word before the caret. */
export function completeWith(
  l: EditLine,
  words: readonly string[],
): { readonly line: EditLine; readonly list: boolean } {
  const word = wordAtCaret(l);
  if (words.length === 0) return { line: l, list: false };
  const only = words.length === 1;
  const start = commonStart(words);
  if (start.length < word.length || (!only && start === word)) return { line: l, list: words.length > 1 };
  const from = l.at - word.length;
  const end = only && !/[/=]$/.test(start) ? ' ' : '';
  const text = l.text.slice(0, from) + start + end + l.text.slice(l.at);
  return { line: put(l, text, from + start.length + end.length), list: false };
}

/** Columns that a text takes in a terminal: wide characters take two. */
export function columns(text: string): number {
  let n = 0;
  for (const ch of text) {
    const c = ch.codePointAt(0) as number;
    n +=
      (c >= 0x1100 && c <= 0x115f) ||
      (c >= 0x2e80 && c <= 0xa4cf) ||
      (c >= 0xac00 && c <= 0xd7a3) ||
      (c >= 0xf900 && c <= 0xfaff) ||
      (c >= 0xfe30 && c <= 0xfe6f) ||
      (c >= 0xff00 && c <= 0xff60) ||
      (c >= 0xffe0 && c <= 0xffe6) ||
      (c >= 0x20000 && c <= 0x3fffd)
        ? 2
        : 1;
  }
  return n;
}
