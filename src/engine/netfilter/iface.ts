/** Interface names of -i, -o and physdev: a trailing `+` matches every name that begins so. */
export function ifaceTest(pattern: string): (name: string) => boolean {
  if (pattern.endsWith('+')) {
    const head = pattern.slice(0, -1);
    return (name) => name.startsWith(head);
  }
  return (name) => name === pattern;
}
