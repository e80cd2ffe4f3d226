import { type ReactNode, useId, useState } from 'react';
import { type Block, type Inline, type Lang, parseProse, type Values } from '../../explain';
import type { Term } from '../../explain/glossary';
import { words } from './words';

/** A lesson's text: paragraphs and lists, with glossary words that open in place. Tokens become elements, never HTML. */
export function LessonProse({ text, lang, values }: { text: string; lang: Lang; values?: Values }) {
  return (
    <>
      {numbered(parseProse(text, values)).map(({ key, item }) => (
        <BlockView key={key} block={item} lang={lang} />
      ))}
    </>
  );
}

/** Keys of things that never change places: their numbers. */
const numbered = <T,>(items: readonly T[]): readonly { key: string; item: T }[] =>
  items.map((item, i) => ({ key: String(i), item }));

function BlockView({ block, lang }: { block: Block; lang: Lang }) {
  const [open, setOpen] = useState<string>();
  const [term, setTerm] = useState<Term>();
  const id = useId();
  const toggle = (name: string): void => {
    if (open === name) {
      setOpen(undefined);
      return;
    }
    setOpen(name);
    void import('../../explain/glossary').then((m) => setTerm(m.findTerm(name)));
  };
  const draw = (tokens: readonly Inline[]): ReactNode => <Tokens tokens={tokens} toggle={toggle} open={open} of={id} />;
  return (
    <>
      {block.type === 'paragraph' ? (
        <p>{draw(block.children)}</p>
      ) : block.ordered ? (
        <ol className="prose-list">
          {numbered(block.items).map(({ key, item }) => (
            <li key={key}>{draw(item)}</li>
          ))}
        </ol>
      ) : (
        <ul className="prose-list">
          {numbered(block.items).map(({ key, item }) => (
            <li key={key}>{draw(item)}</li>
          ))}
        </ul>
      )}
      {open !== undefined && term?.id === open && (
        <p
          id={id}
          className="definition"
          role="note"
          aria-label={words(lang).definition(term.name[lang])}
          onKeyDown={(e) => e.key === 'Escape' && setOpen(undefined)}
        >
          <b>{term.name[lang]}</b> {term.definition[lang]}{' '}
          {term.identifier !== undefined && <code className="mono">{term.identifier}</code>}
        </p>
      )}
    </>
  );
}

interface TokensProps {
  readonly tokens: readonly Inline[];
  readonly toggle: (id: string) => void;
  readonly open: string | undefined;
  readonly of: string;
}

function Tokens({ tokens, ...rest }: TokensProps): ReactNode {
  return numbered(tokens).map(({ key, item }) => <Token key={key} token={item} {...rest} />);
}

function Token({ token, ...rest }: Omit<TokensProps, 'tokens'> & { readonly token: Inline }): ReactNode {
  const { toggle, open, of } = rest;
  switch (token.type) {
    case 'text':
      return token.text;
    case 'code':
      return <code className="mono">{token.text}</code>;
    case 'value':
      return <span className="mono">{token.text ?? '…'}</span>;
    case 'strong':
      return (
        <strong>
          <Tokens tokens={token.children} {...rest} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Tokens tokens={token.children} {...rest} />
        </em>
      );
    case 'term':
      return (
        <button
          type="button"
          className="term"
          aria-expanded={open === token.id}
          aria-controls={of}
          onClick={() => toggle(token.id)}
          onKeyDown={(e) => {
            if (e.key === 'Escape' && open === token.id) toggle(token.id);
          }}
        >
          {token.text}
        </button>
      );
  }
}

/** One line of a lesson's text without paragraphs, for titles and options. */
export function LessonLine({ text, lang, values }: { text: string; lang: Lang; values?: Values }) {
  const block = parseProse(text, values)[0];
  if (block?.type !== 'paragraph') return <>{text}</>;
  return <Tokens tokens={block.children} toggle={() => undefined} open={undefined} of={lang} />;
}
