import type { Frame } from '../catalogue';
import { num } from '../format';

const stop = (s: string): string => (/[。？！”]$/.test(s) ? s : `${s}。`);

/** 中文字幕的拼法。 */
export const frame: Frame = {
  packet: (ref, kind) =>
    kind === undefined ? `包 ${ref.n}` : `包 ${ref.n}，${ref.dir === 'original' ? '请求' : '回包'}，${kind}`,
  rule: (number, of) => `第 ${number} 条，共 ${num(of)} 条`,
  step: (n, total) => (total === undefined ? `第 ${num(n)} 步。` : `第 ${num(n)} 步，共 ${num(total)} 步。`),
  join: (parts) => parts.map(stop).join(''),
  place: (parts) => parts.join('，'),
  at: (packet, place) => (packet === undefined ? place : place === '' ? packet : `${packet}：${place}`),
  spoken: (text) =>
    text
      .replace(/ (->|→) /g, ' 到 ')
      .replace(/(\d|\]):(\d{1,5})(?!\d|:|\.\d)/g, '$1 端口 $2')
      .replace(/\b(KUBE-(?:SVC|SEP|SVL|EXT|FW))-([A-Z2-7]{4})[A-Z2-7]{12}\b/g, '$1 $2'),
};
