import type { Json } from '../../../engine/base';
import { tabulate } from '../../format/tabwriter';
import { formatRfc1123z, parseRfc3339 } from '../../format/time';
import type { Obj } from '../api';
import { rec, sortedKeys, str } from '../fields';

/** Two blanks a level, as kubectl's PrefixWriter. */
export class Describer {
  private text = '';

  /** One line at a level; tabs separate its cells. */
  line(level: number, text: string): this {
    this.text += `${'  '.repeat(level)}${text}\n`;
    return this;
  }
  raw(text: string): this {
    this.text += text;
    return this;
  }

  /** A map as `key=value` (or another separator) lines below a label, sorted; `<none>` when empty. */
  multiline(level: number, title: string, map: Readonly<Record<string, Json>>, separator = '='): this {
    const keys = sortedKeys(map);
    if (keys.length === 0) return this.line(level, `${title}:\t<none>`);
    for (const [i, k] of keys.entries()) {
      this.line(level, `${i === 0 ? `${title}:` : ''}\t${k}${separator}${String(map[k])}`);
    }
    return this;
  }

  /** Annotations: `key: value`; long or multi-line values stand on lines of their own. Last-applied is left out. */
  annotations(title: string, o: Obj): this {
    const all = rec(o, 'metadata', 'annotations');
    const keys = sortedKeys(all).filter((k) => k !== 'kubectl.kubernetes.io/last-applied-configuration');
    if (keys.length === 0) return this.line(0, `${title}:\t<none>`);
    keys.forEach((k, i) => {
      const value = String(all[k]).replace(/\n$/, '');
      const head = i === 0 ? `${title}:\t` : '\t';
      if (value.length + k.length + 2 > 140 || value.includes('\n')) {
        this.line(0, `${head}${k}:`);
        for (const l of value.split('\n')) this.line(0, `\t  ${l.length > 140 ? `${l.slice(0, 140)}...` : l}`);
      } else this.line(0, `${head}${k}: ${value}`);
    });
    return this;
  }

  /** The finished text: minimum width 0, padding 2. */
  finish(): string {
    return tabulate(this.text, 0, 2);
  }
}

/** A time stamp of the API as describe prints it. */
export function longTime(timestamp: string): string {
  const t = parseRfc3339(timestamp);
  return t === undefined ? '<unset>' : formatRfc1123z(t);
}

/** What a description may look up besides its object. */
export interface DescribeCtx {
  /** Objects of a kind in a namespace ('' for all), in the order of the API. */
  list(kind: string, namespace: string): readonly Obj[];
  /** Age of a time stamp. */
  age(timestamp: string): string;
}

/** Events about an object, as the last block of a description. */
export function events(d: Describer, ctx: DescribeCtx, o: Obj): void {
  const about = ctx
    .list('Event', str(o, 'metadata', 'namespace'))
    .filter((e) => {
      const ref = rec(e, 'involvedObject');
      return (
        str(ref, 'kind') === str(o, 'kind') &&
        str(ref, 'name') === str(o, 'metadata', 'name') &&
        (str(ref, 'uid') === '' || str(ref, 'uid') === str(o, 'metadata', 'uid'))
      );
    })
    .slice()
    .sort((a, b) => (lastSeen(a) < lastSeen(b) ? -1 : lastSeen(a) > lastSeen(b) ? 1 : 0));
  if (about.length === 0) {
    d.line(0, 'Events:\t<none>');
    return;
  }
  d.line(0, 'Events:');
  d.line(1, 'Type\tReason\tAge\tFrom\tMessage');
  d.line(1, '----\t------\t----\t----\t-------');
  for (const e of about) {
    const many = Number(str(e, 'count') || '1') > 1;
    const last = ctx.age(lastSeen(e));
    const age = many
      ? `${last} (x${str(e, 'count')} over ${ctx.age(str(e, 'firstTimestamp'))})`
      : ctx.age(str(e, 'firstTimestamp') || lastSeen(e));
    const from = str(e, 'source', 'component') || str(e, 'reportingComponent');
    d.line(1, `${str(e, 'type')}\t${str(e, 'reason')}\t${age}\t${from}\t${str(e, 'message').trim()}`);
  }
}

const lastSeen = (e: Obj): string =>
  str(e, 'lastTimestamp') || str(e, 'eventTime') || str(e, 'metadata', 'creationTimestamp');
