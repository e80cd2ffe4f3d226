import { type Inline, parseInline } from '../../explain';

/** A sentence with its marks as elements; never HTML. */
export function Prose({ text }: { text: string }) {
  return <>{render(parseInline(text))}</>;
}

const render = (tokens: readonly Inline[]): React.ReactNode =>
  tokens.map((token, i) => {
    const key = `${i}${token.type}`;
    switch (token.type) {
      case 'code':
        return (
          <code key={key} className="mono">
            {token.text}
          </code>
        );
      case 'strong':
        return <strong key={key}>{render(token.children)}</strong>;
      case 'em':
        return <em key={key}>{render(token.children)}</em>;
      default:
        return <span key={key}>{token.text}</span>;
    }
  });
