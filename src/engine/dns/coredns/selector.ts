/** A label selector as a test on labels. */
export type Selector = (labels: Readonly<Record<string, string>>) => boolean;

/** Parses `a=b,c!=d,e in (x,y),!f` (apimachinery labels); an error text when it is none. */
export function parseSelector(text: string): Selector | string {
  const parts = text.match(/[^,(]+(?:\([^)]*\))?/g) ?? [];
  const tests: Selector[] = [];
  for (const raw of parts) {
    const p = raw.trim();
    const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(p);
    const eq = /^([^\s=!]+)\s*(==|=|!=)\s*([^\s=!]*)$/.exec(p);
    if (set) {
      const [key, want] = [set[1] as string, set[2] === 'in'];
      const values = (set[3] as string).split(',').map((v) => v.trim());
      tests.push((l) => (want ? l[key] !== undefined && values.includes(l[key]) : !values.includes(l[key] ?? '\0')));
    } else if (eq) {
      const [key, value] = [eq[1] as string, eq[3] as string];
      tests.push(eq[2] === '!=' ? (l) => l[key] !== value : (l) => l[key] === value);
    } else if (/^![\w./-]+$/.test(p)) tests.push((l) => l[p.slice(1)] === undefined);
    else if (/^[\w./-]+$/.test(p)) tests.push((l) => l[p] !== undefined);
    else return `couldn't parse the selector string "${text}"`;
  }
  return (l) => tests.every((t) => t(l));
}
