/**
 * The Corefile's grammar as CoreDNS's fork of caddyfile reads it: tokens with file and line, snippets, imports,
 * environment references, server blocks. Errors are worded as CoreDNS prints them.
 */
export interface Token {
  readonly file: string;
  readonly line: number;
  text: string;
}

/** One server block: its addresses and, by directive, all tokens of that directive in the block. */
export interface ServerBlock {
  keys: string[];
  readonly tokens: Map<string, Token[]>;
}

/** An error with CoreDNS's own words. */
export class CorefileError extends Error {}

/** What parsing may read besides the text: imported files and environment variables. */
export interface CorefileEnv {
  readFile(path: string): string | undefined;
  getenv(name: string): string;
}

const MAX_IMPORTS = 10000;

/** Splits text into tokens; quotes keep blanks, `\"` is a quote inside them, `#` starts a comment. */
export function lex(text: string, file = ''): Token[] {
  const out: Token[] = [];
  let line = 1;
  let val = '';
  let start = 1;
  let quoted = false;
  let escaped = false;
  let comment = false;
  const push = (): void => {
    out.push({ file, line: start, text: val });
    val = '';
  };
  for (const ch of text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) {
    if (quoted) {
      if (!escaped && ch === '\\') {
        escaped = true;
        continue;
      }
      if (!escaped && ch === '"') {
        quoted = false;
        push();
        continue;
      }
      if (ch === '\n') line++;
      if (escaped && ch !== '"') val += '\\';
      val += ch;
      escaped = false;
      continue;
    }
    if (/\s/.test(ch)) {
      if (ch === '\r') continue;
      if (ch === '\n') {
        line++;
        comment = false;
      }
      if (val !== '') push();
      continue;
    }
    if (ch === '#') comment = true;
    if (comment) continue;
    if (val === '') {
      start = line;
      if (ch === '"') {
        quoted = true;
        continue;
      }
    }
    val += ch;
  }
  if (val !== '') push();
  return out;
}

/** Walks tokens: the helper that every plugin's set-up reads its arguments with. */
export class Dispenser {
  protected cursor = -1;
  private nesting = 0;

  constructor(
    protected readonly filename: string,
    protected tokens: Token[],
  ) {}

  next(): boolean {
    if (this.cursor >= this.tokens.length - 1) return false;
    this.cursor++;
    return true;
  }
  /** The next token if it stands on the same line. */
  nextArg(): boolean {
    if (this.cursor < 0) {
      this.cursor++;
      return true;
    }
    const a = this.tokens[this.cursor];
    const b = this.tokens[this.cursor + 1];
    if (!a || !b || a.file !== b.file || a.line + breaks(a) !== b.line) return false;
    this.cursor++;
    return true;
  }
  /** Steps through the lines of a `{ }` block that opens on this line. */
  nextBlock(): boolean {
    if (this.nesting > 0) {
      if (!this.next()) return false;
      if (this.val() === '}') {
        this.nesting--;
        return false;
      }
      return true;
    }
    if (!this.nextArg()) return false;
    if (this.val() !== '{') {
      this.cursor--;
      return false;
    }
    if (!this.next()) return false;
    if (this.val() === '}') return false;
    this.nesting++;
    return true;
  }
  val(): string {
    return this.tokens[this.cursor]?.text ?? '';
  }
  remainingArgs(): string[] {
    const args: string[] = [];
    while (this.nextArg()) {
      if (this.val() === '{') {
        this.cursor--;
        break;
      }
      args.push(this.val());
    }
    return args;
  }
  line(): number {
    return this.tokens[this.cursor]?.line ?? 0;
  }
  file(): string {
    return this.tokens[this.cursor]?.file || this.filename;
  }
  err(message: string): CorefileError {
    return new CorefileError(`${this.file()}:${this.line()} - Error during parsing: ${message}`);
  }
  argErr(): CorefileError {
    if (this.val() === '{') return this.err("Unexpected token '{', expecting argument");
    return this.err(`Wrong argument count or unexpected line ending after '${this.val()}'`);
  }
  syntaxErr(expected: string): CorefileError {
    return new CorefileError(
      `${this.file()}:${this.line()} - Syntax error: Unexpected token '${this.val()}', expecting '${expected}'`,
    );
  }
  eofErr(): CorefileError {
    return this.err('Unexpected EOF');
  }
  protected isNewLine(): boolean {
    if (this.cursor < 1) return true;
    if (this.cursor > this.tokens.length - 1) return false;
    const a = this.tokens[this.cursor - 1] as Token;
    const b = this.tokens[this.cursor] as Token;
    return a.file !== b.file || a.line + breaks(a) < b.line;
  }
}

const breaks = (t: Token): number => t.text.split('\n').length - 1;

class Parser extends Dispenser {
  private block: ServerBlock = { keys: [], tokens: new Map() };
  private eof = false;
  private readonly snippets = new Map<string, Token[]>();
  private expansions = 0;

  constructor(
    filename: string,
    tokens: Token[],
    private readonly directives: readonly string[] | undefined,
    private readonly env: CorefileEnv,
    private readonly warn: (line: string) => void,
  ) {
    super(filename, tokens);
  }

  parseAll(): ServerBlock[] {
    const out: ServerBlock[] = [];
    while (this.next()) {
      this.block = { keys: [], tokens: new Map() };
      this.begin();
      if (this.block.keys.length > 0) out.push(this.block);
    }
    return out;
  }

  private begin(): void {
    if (this.tokens.length === 0) return;
    this.addresses();
    if (this.eof) return;
    const key = this.block.keys[0] ?? '';
    if (this.block.keys.length === 1 && key.startsWith('(') && key.endsWith(')')) {
      this.snippet(key.slice(1, -1));
      this.block.keys = [];
      return;
    }
    this.contents();
  }

  private snippet(name: string): void {
    if (this.snippets.has(name)) throw this.err(`redeclaration of previously declared snippet ${name}`);
    if (this.val() !== '{') throw this.syntaxErr('{');
    const tokens: Token[] = [];
    let depth = 1;
    while (this.next()) {
      if (this.val() === '}' && --depth === 0) break;
      if (this.val() === '{') depth++;
      tokens.push(this.tokens[this.cursor] as Token);
    }
    if (depth !== 0) throw this.syntaxErr('}');
    for (let i = 0; i + 1 < tokens.length; i++) {
      const t = tokens[i] as Token;
      const before = tokens[i - 1];
      const first = !before || before.file !== t.file || before.line !== t.line;
      if (t.text === 'import' && first && this.expand((tokens[i + 1] as Token).text) === name)
        throw this.err(`maximum snippet import depth (${MAX_IMPORTS}) exceeded`);
    }
    this.snippets.set(name, tokens);
  }

  private addresses(): void {
    let another = false;
    for (;;) {
      let t = this.expand(this.val());
      if (t === 'import' && this.isNewLine()) {
        this.import();
        continue;
      }
      if (t === '{') {
        if (another) throw this.err(`Expected another address but had '${t}' - check for extra comma`);
        return;
      }
      if (t !== '') {
        another = t.endsWith(',');
        if (another) t = t.slice(0, -1);
        this.block.keys.push(t);
      }
      const more = this.next();
      if (another && !more) throw this.eofErr();
      if (!more) {
        this.eof = true;
        return;
      }
      if (!another && this.isNewLine()) return;
    }
  }

  private contents(): void {
    const braced = this.val() === '{';
    if (!braced) this.cursor--;
    while (this.next()) {
      if (this.val() === '}') break;
      if (this.val() === 'import') {
        this.import();
        this.cursor--;
        continue;
      }
      this.directive();
    }
    if (braced && this.val() !== '}') throw this.syntaxErr('}');
  }

  private directive(): void {
    const dir = this.expand(this.val());
    if (this.directives && !this.directives.includes(dir)) throw this.err(`Unknown directive '${dir}'`);
    const mine = this.block.tokens.get(dir) ?? [];
    this.block.tokens.set(dir, mine);
    mine.push(this.tokens[this.cursor] as Token);
    let nesting = 0;
    while (this.next()) {
      if (this.val() === '{') nesting++;
      else if (this.isNewLine() && nesting === 0) {
        this.cursor--;
        break;
      } else if (this.val() === '}' && nesting > 0) nesting--;
      else if (this.val() === '}') throw this.err("Unexpected '}' because no matching opening brace");
      else if (this.val() === 'import' && this.isNewLine()) {
        this.import();
        this.cursor--;
        continue;
      }
      const t = this.tokens[this.cursor] as Token;
      mine.push({ ...t, text: this.expand(t.text) });
    }
    if (nesting > 0) throw this.eofErr();
  }

  private import(): void {
    if (!this.nextArg()) throw this.argErr();
    const what = this.expand(this.val());
    if (what === '') throw this.err('Import requires a non-empty filepath');
    if (this.nextArg()) throw this.err('Import takes only one argument (glob pattern or file)');
    if (this.expansions++ >= MAX_IMPORTS) throw this.err(`maximum snippet import depth (${MAX_IMPORTS}) exceeded`);
    const before = this.tokens.slice(0, this.cursor - 1);
    const after = this.tokens.slice(this.cursor + 1);
    const imported = this.snippets.get(what) ?? this.importFile(what);
    this.tokens = [...before, ...imported, ...after];
    this.cursor--;
  }

  private importFile(what: string): Token[] {
    const dir = this.file().replace(/[^/]*$/, '');
    const path = what.startsWith('/') ? what : dir + what;
    const text = this.env.readFile(path);
    if (text !== undefined) return lex(text, path);
    if (!/[*?[\]]/.test(path)) throw this.err(`File to import not found: ${what}`);
    this.warn(`[WARNING] No files matching import glob pattern: ${what}`);
    return [];
  }

  private expand(s: string): string {
    return expandRefs(expandRefs(s, '{%', '%}', this.env), '{$', '}', this.env);
  }
}

function expandRefs(text: string, open: string, close: string, env: CorefileEnv): string {
  let s = text;
  for (let i = s.indexOf(open); i >= 0; i = s.indexOf(open)) {
    const end = s.indexOf(close, i);
    if (end < 0 || end <= i + open.length) return s;
    const ref = s.slice(i, end + close.length);
    s = s.split(ref).join(env.getenv(ref.slice(open.length, ref.length - close.length)));
  }
  return s;
}

/** Parses a Corefile; throws CorefileError. `directives`: the known plugins, or undefined to take any. */
export function parseCorefile(
  text: string,
  filename: string,
  directives: readonly string[] | undefined,
  env: CorefileEnv,
  warn: (line: string) => void = () => undefined,
): ServerBlock[] {
  return new Parser(filename, lex(text), directives, env, warn).parseAll();
}
