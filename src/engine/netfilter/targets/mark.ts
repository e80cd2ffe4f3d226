import { hex, parseUint } from '../args';
import { opt } from '../match-util';
import { CONTINUE, defineTarget, extProblem } from '../xt';

export interface MarkTarget {
  mark: number;
  mask: number;
}

export function parseMarkTarget(ext: string, option: string, text: string): MarkTarget {
  const [a = '', b] = text.split('/');
  const withMask = option === 'set-mark' || option === 'set-xmark';
  const mark = parseUint(a, 0, 0xffffffff);
  const mask = b === undefined ? 0xffffffff : withMask ? parseUint(b, 0, 0xffffffff) : undefined;
  if (mark === undefined || mask === undefined) {
    throw extProblem(
      ext,
      withMask
        ? `bad integer value for option "--${option}", or out of range.\n`
        : `bad value for option "--${option}", or out of range (0-4294967295).\n`,
    );
  }
  switch (option) {
    case 'set-mark':
      return { mark, mask: (mark | mask) >>> 0 };
    case 'and-mark':
      return { mark: 0, mask: ~mark >>> 0 };
    case 'or-mark':
      return { mark, mask: mark };
    case 'xor-mark':
      return { mark, mask: 0 };
    default:
      return { mark, mask };
  }
}

/** `and 0x..`, `or 0x..`, `xor`, `set`, `xset`: how -L names what a mark target does. */
export function markVerb(s: MarkTarget): string {
  if (s.mark === 0) return `and ${hex(~s.mask)}`;
  if (s.mark === s.mask) return `or ${hex(s.mark)}`;
  if (s.mask === 0) return `xor ${hex(s.mark)}`;
  return s.mask === 0xffffffff ? `set ${hex(s.mark)}` : `xset ${hex(s.mark)}/${hex(s.mask)}`;
}

const FORMS = ['set-xmark', 'set-mark', 'and-mark', 'or-mark', 'xor-mark'];
export const markOptions = FORMS.map((f) => opt(f, 1, false, { excludes: FORMS.filter((x) => x !== f) }));

/** xt_MARK. */
export const mark = defineTarget<MarkTarget>({
  name: 'MARK',
  options: markOptions,
  init: () => ({ mark: 0, mask: 0 }),
  parse(s, o, [arg = '']) {
    Object.assign(s, parseMarkTarget('MARK', o, arg));
  },
  check(_s, given) {
    if (given.size === 0) {
      throw extProblem('MARK', 'One of the --set-xmark, --{and,or,xor,set}-mark options is required');
    }
  },
  print: (s) => `--set-xmark ${hex(s.mark)}/${hex(s.mask)}`,
  list: (s) => `MARK ${markVerb(s)}`,
  run(s, f, ctx) {
    ctx.setMark(f, ((f.skb.mark & ~s.mask) ^ s.mark) >>> 0);
    return CONTINUE;
  },
});
