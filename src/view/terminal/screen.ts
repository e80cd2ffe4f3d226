import { FitAddon } from '@xterm/addon-fit';
import { Terminal as Xterm } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { TermLine } from '../../store/types';
import { columns, type EditLine } from './line-editor';

const DIM = '\x1b[90m';
const RESET = '\x1b[0m';
/** Empties screen and scrollback in its place among what is written: `Terminal.reset` would come before writes that still wait. */
const RESET_ALL = '\x1bc';

/** Colours of the page as the terminal wants them. */
function colours(): NonNullable<ConstructorParameters<typeof Xterm>[0]>['theme'] {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    background: of('--panel'),
    foreground: of('--ink'),
    cursor: of('--ink'),
    cursorAccent: of('--panel'),
    selectionBackground: of('--current'),
    selectionForeground: of('--ink'),
    brightBlack: of('--ink-3'),
    red: of('--drop'),
    green: of('--reply'),
    yellow: of('--rewrite'),
    blue: of('--request'),
    magenta: of('--service'),
  };
}

const ESC = String.fromCharCode(27);
const chars = (from: number, to: number): string => `${String.fromCharCode(from)}-${String.fromCharCode(to)}`;
/** An escape that starts no colour, and every control byte but tab, line feed, carriage return and escape. */
const CONTROL = new RegExp(
  `${ESC}(?!\\[[0-9;]*m)|[${chars(0, 8)}${chars(11, 12)}${chars(14, 26)}${chars(28, 31)}${String.fromCharCode(127)}]`,
  'g',
);

/** What a program printed may hold control bytes of its own; only colour and the tab are let through. */
const printable = (text: string): string => text.replace(CONTROL, '');

/**
 * One xterm: the lines up to the cursor and the prompt under them. What was printed later stands outside of it, as
 * a terminal cannot write above its own last lines.
 */
export class Screen {
  readonly term: Xterm;
  private readonly fit = new FitAddon();
  private written: readonly TermLine[] = [];
  private promptText = '';
  private edit: EditLine | undefined;
  /** Row of the caret within the prompt's block, and whether a prompt is on the screen. */
  private caretRow = 0;
  private prompted = false;

  constructor(host: HTMLElement, fontSize: number) {
    this.term = new Xterm({
      fontFamily: '"JetBrains Mono", "Noto Sans Mono CJK SC", ui-monospace, monospace',
      fontSize,
      lineHeight: 1.35,
      cursorBlink: false,
      cursorStyle: 'block',
      scrollback: 10_000,
      screenReaderMode: true,
      theme: colours(),
      convertEol: true,
      allowProposedApi: false,
      minimumContrastRatio: 4.5,
    });
    this.term.loadAddon(this.fit);
    this.term.open(host);
    this.resize();
  }

  resize(): void {
    const before = this.term.cols;
    try {
      this.fit.fit();
    } catch {
      return;
    }
    if (this.term.cols !== before) this.redraw();
  }
  recolour(): void {
    this.term.options.theme = colours();
  }
  dispose(): void {
    this.term.dispose();
  }

  /** Shows these lines, then the prompt with the line being edited; `edit` undefined: a program runs. */
  show(lines: readonly TermLine[], prompt: string, edit: EditLine | undefined): void {
    const grows = lines.length >= this.written.length && this.written.every((line, i) => line === lines[i]);
    // Writing takes a selection away: where nothing is new, nothing is written.
    if (grows && lines.length === this.written.length && prompt === this.promptText && edit === this.edit) return;
    this.erasePrompt();
    if (!grows) {
      this.term.write(RESET_ALL);
      this.written = [];
    }
    const text = lines
      .slice(this.written.length)
      .map((l) => `${l.kind === 'in' ? `${DIM}${l.prompt ?? ''}${RESET}` : ''}${printable(l.text)}${RESET}\r\n`)
      .join('');
    if (text !== '') this.term.write(text);
    this.written = lines;
    this.promptText = prompt;
    this.edit = edit;
    this.drawPrompt();
  }

  /** Draws the edited line again. */
  line(edit: EditLine): void {
    this.erasePrompt();
    this.edit = edit;
    this.drawPrompt();
  }

  /** Prints below the prompt's line, which comes again under it: completions. */
  aside(text: string): void {
    this.erasePrompt();
    const edit = this.edit;
    this.term.write(`${DIM}${this.promptText}${RESET}${edit?.text ?? ''}\r\n${printable(text)}\r\n`);
    this.drawPrompt();
  }

  /** Leaves the edited line as it is, with ^C after it; the next one begins empty. */
  cancel(): void {
    this.erasePrompt();
    this.term.write(`${DIM}${this.promptText}${RESET}${printable(this.edit?.text ?? '')}^C\r\n`);
    this.edit = undefined;
  }

  clear(): void {
    this.erasePrompt();
    this.term.clear();
    this.term.write('\x1b[H\x1b[2J');
    this.drawPrompt();
  }

  private redraw(): void {
    const lines = this.written;
    this.written = [];
    this.prompted = false;
    this.term.write(RESET_ALL);
    this.show(lines, this.promptText, this.edit);
  }

  private erasePrompt(): void {
    if (!this.prompted) return;
    const up = this.caretRow > 0 ? `\x1b[${this.caretRow}A` : '';
    this.term.write(`${up}\r\x1b[J`);
    this.prompted = false;
  }

  private drawPrompt(): void {
    const edit = this.edit;
    if (edit === undefined) return;
    const search = edit.search;
    const prompt = search === undefined ? this.promptText : `(reverse-i-search)\`${search.query}': `;
    const { text, at } = edit;
    const cols = Math.max(1, this.term.cols);
    const whole = columns(prompt) + columns(text);
    const caret = columns(prompt) + columns(text.slice(0, at));
    // A line that ends exactly at the edge leaves the caret there; a line break puts it where it will be next.
    const edge = whole > 0 && whole % cols === 0 ? '\r\n' : '';
    const endRow = Math.floor(whole / cols);
    const row = Math.floor(caret / cols);
    const column = caret % cols;
    const up = endRow - row > 0 ? `\x1b[${endRow - row}A` : '';
    this.term.write(`${DIM}${prompt}${RESET}${printable(text)}${edge}${up}\r${column > 0 ? `\x1b[${column}C` : ''}`);
    this.caretRow = row;
    this.prompted = true;
  }
}
