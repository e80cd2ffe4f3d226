/** just-bash's own wording of errors, put as bash 5.2 and coreutils say it. */
export function asBash(stderr: string, interactive: boolean): string {
  return stderr
    .split('\n')
    .map((l) => wording(l, interactive))
    .join('\n');
}

function wording(line: string, interactive: boolean): string {
  const parse = /^bash: syntax error: Parse error at .*?: (.*)$/.exec(line);
  if (parse) {
    const got = /got (\S+)/.exec(parse[1] as string)?.[1];
    const token = /unexpected token '?([^']*)'?/i.exec(parse[1] as string)?.[1] ?? got ?? '';
    if (got === 'EOF' || token === 'EOF')
      return interactive
        ? 'bash: syntax error: unexpected end of file'
        : 'bash: -c: line 2: syntax error: unexpected end of file';
    return `bash: syntax error near unexpected token \`${token === 'NEWLINE' ? 'newline' : token}'`;
  }
  const refused = /^bash: (?:line \d+: )?EACCES: Permission denied, open '(.*)'$/.exec(line);
  if (refused) return `bash: ${refused[1]}: Permission denied`;
  const readOnly = /^bash: (?:line \d+: )?EROFS: Read-only file system, open '(.*)'$/.exec(line);
  if (readOnly) return `bash: ${readOnly[1]}: Read-only file system`;
  if (/^bash: (?:line \d+: )?EINVAL: Invalid argument, open /.test(line))
    return 'bash: echo: write error: Invalid argument';
  const missing = /^ls: (\S+): No such file or directory$/.exec(line);
  if (missing) return `ls: cannot access '${missing[1]}': No such file or directory`;
  if (interactive) return line.replace(/^bash: line \d+: /, 'bash: ');
  return line.replace(/^bash: (\S+): command not found$/, 'bash: line 1: $1: command not found');
}

/** `ash` of busybox says it its own way. */
export function asAsh(stderr: string): string {
  return stderr.replace(/^bash: (?:line \d+: )?(\S+): command not found$/gm, 'sh: $1: not found');
}
