import type { Frame } from '../catalogue';
import { num } from '../format';

const stop = (s: string): string => (/[.!?”"]$/.test(s) ? s : `${s}.`);

/** How English puts a caption together. */
export const frame: Frame = {
  packet: (ref, kind) =>
    kind === undefined
      ? `Packet ${ref.n}`
      : `Packet ${ref.n}, ${ref.dir === 'original' ? 'request' : 'reply'}, ${kind}`,
  rule: (number, of) => `rule ${number} of ${num(of)}`,
  step: (n, total) => (total === undefined ? `Step ${num(n)}.` : `Step ${num(n)} of ${num(total)}.`),
  join: (parts) => parts.map(stop).join(' '),
  place: (parts) => parts.join(', '),
  at: (packet, place) => (packet === undefined ? place : place === '' ? packet : `${packet}: ${place}`),
  spoken: (text) =>
    text
      .replace(/ (->|→) /g, ' to ')
      .replace(/(\d|\]):(\d{1,5})(?!\d|:|\.\d)/g, '$1 port $2')
      .replace(/\b(KUBE-(?:SVC|SEP|SVL|EXT|FW))-([A-Z2-7]{4})[A-Z2-7]{12}\b/g, '$1 $2'),
};
