import type { Lang } from './lang';

/**
 * Lesson prose is a subset of Markdown small enough to hold in the head, read by this file instead of a library: the
 * page then carries no Markdown parser, nothing but these five tokens can come out, and they become elements, never
 * HTML. Block: paragraphs, separated by a blank line; lines that begin with `- ` or `1. ` make a list. Inline: `code`,
 * **strong**, *emphasis*, [[term]] or [[term|as written]] for a word of the glossary, {name} for a value of the run.
 * Anything else, HTML and links included, is text.
 */
export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'strong'; readonly children: readonly Inline[] }
  | { readonly type: 'em'; readonly children: readonly Inline[] }
  | { readonly type: 'term'; readonly id: string; readonly text: string }
  /** A value that the engine computed; `text` is undefined while it is not known (or must not be told yet). */
  | { readonly type: 'value'; readonly name: string; readonly text: string | undefined };

export type Block =
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly type: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] };

export type Values = Readonly<Record<string, string>>;

const TOKEN =
  /`([^`\n]+)`|\*\*((?:[^*]|\*(?!\*))+)\*\*|\*([^*\n]+)\*|\[\[([^\]|\n]+)(?:\|([^\]\n]+))?\]\]|\{([a-z][A-Za-z0-9]*)\}/g;

/** Tokens of one line of prose. */
export function parseInline(text: string, values: Values = {}): Inline[] {
  const out: Inline[] = [];
  let at = 0;
  for (const m of text.matchAll(TOKEN)) {
    if (m.index > at) out.push({ type: 'text', text: text.slice(at, m.index) });
    at = m.index + m[0].length;
    const [, code, strong, em, term, shown, value] = m;
    if (code !== undefined) out.push({ type: 'code', text: fill(code, values) });
    else if (strong !== undefined) out.push({ type: 'strong', children: parseInline(strong, values) });
    else if (em !== undefined) out.push({ type: 'em', children: parseInline(em, values) });
    else if (term !== undefined) out.push({ type: 'term', id: term, text: shown ?? term });
    else if (value !== undefined) out.push({ type: 'value', name: value, text: values[value] });
  }
  if (at < text.length) out.push({ type: 'text', text: text.slice(at) });
  return out;
}

/** Paragraphs and lists of a text. */
export function parseProse(text: string, values: Values = {}): Block[] {
  const blocks: Block[] = [];
  for (const part of text.trim().split(/\n\s*\n/)) {
    const lines = part.split('\n').map((l) => l.trim());
    const marker = /^(-|\d+\.) /;
    if (lines.length > 0 && lines.every((l) => marker.test(l))) {
      blocks.push({
        type: 'list',
        ordered: !(lines[0] as string).startsWith('- '),
        items: lines.map((l) => parseInline(l.replace(marker, ''), values)),
      });
    } else if (part.trim() !== '') blocks.push({ type: 'paragraph', children: parseInline(joinLines(lines), values) });
  }
  return blocks;
}

/** Lines of a paragraph run on; between two Chinese characters no space belongs. */
function joinLines(lines: readonly string[]): string {
  return lines.reduce((text, line) => {
    const cjk = /[⺀-鿿　-〿＀-￯”’]$/.test(text) && /^[⺀-鿿　-〿＀-￯“‘]/.test(line);
    return text === '' || cjk ? text + line : `${text} ${line}`;
  }, '');
}

const fill = (text: string, values: Values): string =>
  text.replace(/\{([a-z][A-Za-z0-9]*)\}/g, (whole, name: string) => values[name] ?? whole);

/** Words of the glossary that a text refers to. */
export function termIds(text: string): string[] {
  return [...text.matchAll(/\[\[([^\]|\n]+)(?:\|[^\]\n]+)?\]\]/g)].map((m) => m[1] as string);
}

/** Names of the values that a text uses. */
export function valueNames(text: string): string[] {
  return [...text.matchAll(/\{([a-z][A-Za-z0-9]*)\}/g)].map((m) => m[1] as string);
}

/** A text without its marks, for titles, screen readers and terminals. */
export function plain(text: string, values: Values = {}): string {
  const flat = (tokens: readonly Inline[]): string =>
    tokens
      .map((t) =>
        t.type === 'strong' || t.type === 'em'
          ? flat(t.children)
          : t.type === 'value'
            ? (t.text ?? `{${t.name}}`)
            : t.text,
      )
      .join('');
  return flat(parseInline(text, values));
}

/** Language tag for `lang` attributes. */
export const htmlLang = (lang: Lang): string => (lang === 'zh' ? 'zh-CN' : 'en');
