import type { WorldReader } from '../../../base/recordmap';
import { NFT_TABLES, type NftChain, type NftSet, type NftTable } from './model';

/** Seconds as nft prints a timeout: `3h`, `1m`, `1d2h`. */
export function nftDuration(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ];
  return parts.map(([n, u]) => (n > 0 ? `${n}${u}` : '')).join('') || '0s';
}

function setLines(s: NftSet): string[] {
  const out = [`\t${s.isMap ? 'map' : 'set'} ${s.name} {`, `\t\ttype ${s.type}`];
  if (s.size !== undefined) out.push(`\t\tsize ${s.size}`);
  if (s.flags) out.push(`\t\tflags ${s.flags.join(',')}`);
  if (s.timeoutS !== undefined) out.push(`\t\ttimeout ${nftDuration(s.timeoutS)}`);
  if (s.comment !== undefined) out.push(`\t\tcomment "${s.comment}"`);
  if (s.elements.length > 0) out.push(...elementLines(s));
  out.push('\t}');
  return out;
}

/** Two plain addresses a line; anything longer stands alone. */
function elementLines(s: NftSet): string[] {
  const perLine = s.type === 'ipv4_addr' || s.type === 'ipv6_addr' ? 2 : 1;
  const rows: string[] = [];
  for (let i = 0; i < s.elements.length; i += perLine) rows.push(s.elements.slice(i, i + perLine).join(', '));
  return rows.map((row, i) => {
    const head = i === 0 ? '\t\telements = { ' : '\t\t\t     ';
    return `${head}${row}${i === rows.length - 1 ? ' }' : ','}`;
  });
}

function chainLines(c: NftChain): string[] {
  return [
    `\tchain ${c.name} {`,
    ...(c.comment === undefined ? [] : [`\t\tcomment "${c.comment}"`]),
    ...(c.hook === undefined ? [] : [`\t\t${c.hook}`]),
    ...c.rules.map((r) => `\t\t${r}`),
    '\t}',
  ];
}

/** One table as `nft -s list table` prints it. */
export function tableText(t: NftTable): string {
  const blocks = [...t.sets.map(setLines), ...t.chains.map(chainLines)].map((b) => b.join('\n'));
  return `table ${t.family === 4 ? 'ip' : 'ip6'} kube-proxy {\n\tcomment "${t.comment}"\n${blocks.join('\n\n')}\n}\n`;
}

/** kube-proxy's tables of a node, as `nft -s list ruleset` prints them. */
export function rulesetText(reader: WorldReader, node: string): string {
  const map = reader.map(NFT_TABLES);
  return map
    .by('node', node)
    .map((k) => tableText(map.get(k) as NftTable))
    .join('');
}
