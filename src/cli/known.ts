/** One line of truth/known.txt: records that are known to fail while later work is open. */
export interface Known {
  /** Glob over `folder/id`. */
  readonly glob: string;
  readonly count: number;
  readonly reason: string;
}

/** Lines `folder/glob · count · reason`; blank lines and `#` comments are left out. Throws with the line number. */
export function parseKnown(text: string): Known[] {
  const out: Known[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [glob, count, reason, ...rest] = line.split(' · ');
    if (!glob || !count || !reason || rest.length > 0 || !/^[0-9]+$/.test(count.trim())) {
      throw new Error(`known.txt line ${i + 1}: expected "folder/glob · count · reason", got "${line}"`);
    }
    out.push({ glob: glob.trim(), count: Number(count.trim()), reason: reason.trim() });
  }
  return out;
}
