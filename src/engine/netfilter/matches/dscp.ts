import { parseUint } from '../args';
import { bang, opt } from '../match-util';
import { defineMatch, extProblem } from '../xt';

/** Names of DiffServ classes (RFC 2474, 2597, 3246). */
export const DSCP_CLASSES: readonly (readonly [string, number])[] = [
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((n): readonly [string, number] => [`CS${n}`, n << 3]),
  ['BE', 0],
  ...[1, 2, 3, 4].flatMap((c) => [1, 2, 3].map((d): readonly [string, number] => [`AF${c}${d}`, (c << 3) | (d << 1)])),
  ['EF', 0x2e],
];

export function parseDscp(ext: string, option: string, text: string): number {
  if (option.endsWith('class')) {
    const hit = DSCP_CLASSES.find(([n]) => n === text.toUpperCase());
    if (!hit) throw extProblem(ext, `Invalid DSCP class \`${text}'`);
    return hit[1];
  }
  const n = parseUint(text, 0, 63);
  if (n === undefined) throw extProblem(ext, `bad value for option "--${option}", or out of range (0-63).\n`);
  return n;
}

const hex2 = (n: number): string => `0x${n.toString(16).padStart(2, '0')}`;

/** xt_dscp: the upper six bits of the TOS byte. */
export const dscp = defineMatch<{ dscp: number; not?: boolean }>({
  name: 'dscp',
  options: [opt('dscp'), opt('dscp-class')],
  init: () => ({ dscp: 0 }),
  parse(s, o, [arg = ''], not) {
    s.dscp = parseDscp('dscp', o, arg);
    if (not) s.not = true;
  },
  check(_s, given) {
    if (given.size === 0) throw extProblem('dscp', 'The --dscp or --dscp-class option must be specified');
  },
  print: (s) => `${bang(s.not)}--dscp ${hex2(s.dscp)}`,
  list: (s) => `DSCP match ${s.not ? '!' : ''}${hex2(s.dscp)}`,
  compile: (s) => (f) => (f.packet.ip.tos >> 2 === s.dscp) !== (s.not ?? false),
  value: (_s, f) => hex2(f.packet.ip.tos >> 2),
});
