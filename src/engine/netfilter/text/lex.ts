/**
 * Splits a line of iptables-restore text into words as add_param_to_argv does: blanks part words, double quotes hold
 * them together, a backslash escapes inside quotes. An unterminated quote runs to the end of the line, the line feed
 * included, without a complaint (1.8.9).
 */
export function splitLine(line: string): { words: string[]; quoted: boolean[] } {
  const words: string[] = [];
  const quoted: boolean[] = [];
  let cur = '';
  let open = false;
  let escaped = false;
  let wasQuoted = false;
  const push = (): void => {
    if (cur !== '' || wasQuoted) {
      words.push(cur);
      quoted.push(wasQuoted);
    }
    cur = '';
    wasQuoted = false;
  };
  for (const c of `${line}\n`) {
    if (open) {
      if (escaped) {
        cur += c;
        escaped = false;
      } else if (c === '\\') escaped = true;
      else if (c === '"') {
        open = false;
        push();
      } else cur += c;
      continue;
    }
    if (c === '"') {
      open = true;
      wasQuoted = true;
    } else if (c === ' ' || c === '\t' || c === '\n') push();
    else cur += c;
  }
  if (!open || cur !== '') push();
  return { words, quoted };
}
