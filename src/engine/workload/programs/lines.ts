import { type Blocking, recv } from '../blocking';
import type { Sys } from '../process';

/** Buffered reading of a stream. */
export class LineReader {
  private buffer = '';
  /** errno of the read that ended the stream, undefined at a clean end. */
  errno: string | undefined;
  ended = false;

  constructor(
    private readonly sys: Sys,
    private readonly fd: number,
  ) {}

  /** Next line with its line feed; undefined at the end (a rest without line feed is dropped, as bufio does). */
  *next(): Blocking<string | undefined> {
    for (;;) {
      const at = this.buffer.indexOf('\n');
      if (at >= 0) {
        const line = this.buffer.slice(0, at + 1);
        this.buffer = this.buffer.slice(at + 1);
        return line;
      }
      if (!(yield* this.more())) return undefined;
    }
  }

  /** Reads whatever comes next into the buffer; false at the end. */
  *more(): Blocking<boolean> {
    if (this.ended) return false;
    const r = yield* recv(this.sys, this.fd);
    if (r.ok && r.value.len > 0) {
      this.buffer += r.value.data;
      return true;
    }
    this.ended = true;
    this.errno = r.ok ? undefined : r.errno;
    return false;
  }

  /** First buffered byte, after waiting for it; undefined at the end. */
  *peek(): Blocking<string | undefined> {
    if (this.buffer === '' && !(yield* this.more())) return undefined;
    return this.buffer[0];
  }

  /** Takes up to `n` bytes of what is buffered. */
  take(n: number): string {
    const part = this.buffer.slice(0, n);
    this.buffer = this.buffer.slice(part.length);
    return part;
  }
}
