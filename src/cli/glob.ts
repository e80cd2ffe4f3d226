/** A shell glob as a regular expression: `*` and `?` do not cross '/', `[...]` classes, `{a,b}` alternatives. */
export function globToRegExp(glob: string): RegExp {
  let out = '';
  let depth = 0;
  for (let i = 0; i < glob.length; i++) {
    const c = glob[i] as string;
    if (c === '*') out += '[^/]*';
    else if (c === '?') out += '[^/]';
    else if (c === '{') {
      depth++;
      out += '(?:';
    } else if (c === '}' && depth > 0) {
      depth--;
      out += ')';
    } else if (c === ',' && depth > 0) out += '|';
    else if (c === '[' && glob.indexOf(']', i + 2) > 0) {
      const end = glob.indexOf(']', i + 2);
      const body = glob
        .slice(i + 1, end)
        .replace(/^!/, '^')
        .replace(/\\/g, '\\\\');
      out += `[${body}]`;
      i = end;
    } else if (c === '\\' && i + 1 < glob.length) out += quote(glob[++i] as string);
    else out += quote(c);
  }
  if (depth > 0) return globToRegExp(glob.replace(/[{}]/g, '\\$&'));
  return new RegExp(`^${out}$`);
}

const quote = (c: string): string => c.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
