import { hex, parseUint } from '../args';
import { bang, opt } from '../match-util';
import { defineMatch, extProblem } from '../xt';

export interface MarkSpec {
  mark: number;
  mask: number;
  not?: boolean;
}

/** `value[/mask]`, both 32 bits. */
export function parseMarkMask(ext: string, option: string, text: string): { mark: number; mask: number } {
  const [a, b, ...rest] = text.split('/');
  const mark = parseUint(a ?? '', 0, 0xffffffff);
  const mask = b === undefined ? 0xffffffff : parseUint(b, 0, 0xffffffff);
  if (mark !== undefined && (mask === undefined || rest.length > 0)) {
    throw extProblem(ext, `trailing garbage after value for option "--${option}".\n`);
  }
  if (mark === undefined || mask === undefined) {
    throw extProblem(ext, `bad integer value for option "--${option}", or out of range.\n`);
  }
  return { mark, mask };
}

export const markText = (s: { mark: number; mask: number }): string =>
  s.mask === 0xffffffff ? hex(s.mark) : `${hex(s.mark)}/${hex(s.mask)}`;

/** xt_mark. */
export const mark = defineMatch<MarkSpec>({
  name: 'mark',
  options: [opt('mark', 1, true, { required: true })],
  init: () => ({ mark: 0, mask: 0xffffffff }),
  parse(s, _o, [arg], not) {
    Object.assign(s, parseMarkMask('mark', 'mark', arg as string));
    if (not) s.not = true;
  },
  print: (s) => `${bang(s.not)}--mark ${markText(s)}`,
  list: (s) => `mark match ${bang(s.not)}${markText(s)}`,
  compile(s) {
    const { mask, not } = s;
    const want = s.mark >>> 0;
    return (f) => ((f.skb.mark & mask) >>> 0 === want) !== (not ?? false);
  },
  value: (_s, f) => hex(f.skb.mark),
});
