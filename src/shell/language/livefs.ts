import { type FsStat, type IFileSystem, InMemoryFs } from 'just-bash';
import { resolvePath } from '../files';

/** Reads and writes of a place's own files, through the session. */
export interface LiveFiles {
  /** Text, or undefined with what went wrong as an errno's text. */
  read(path: string): Promise<{ readonly text: string } | { readonly error: string }>;
  /** Names in a directory, or undefined. */
  list(path: string): Promise<readonly string[] | undefined>;
  /** Error text, or undefined. */
  write(path: string, text: string): Promise<string | undefined>;
}

const LIVE = ['/proc', '/sys', '/etc'];
/** Whether a path belongs to the place, not to the terminal. */
export const isLive = (path: string): boolean => LIVE.some((l) => path === l || path.startsWith(`${l}/`));
const EPOCH = new Date(0);

class FsError extends Error {}
const enoent = (path: string): FsError => new FsError(`ENOENT: no such file or directory, open '${path}'`);
const eisdir = (path: string): FsError => new FsError(`EISDIR: illegal operation on a directory, read '${path}'`);

/**
 * The file system of one terminal: its own files in memory, and /proc, /sys and /etc of the place as they are at the
 * terminal's cursor. Files that the terminal wrote below /etc hide the place's.
 */
export class PlaceFs implements IFileSystem {
  readonly own = new InMemoryFs({ '/root/.keep': '', '/tmp/.keep': '', '/dev/null': '' });

  constructor(private readonly live: LiveFiles) {}

  private async liveText(path: string): Promise<string> {
    const r = await this.live.read(path);
    if ('text' in r) return r.text;
    if (r.error === 'Is a directory') throw eisdir(path);
    if (r.error === 'Permission denied') throw new FsError(`EACCES: permission denied, open '${path}'`);
    throw enoent(path);
  }

  async readFile(path: string, options?: Parameters<IFileSystem['readFile']>[1]): Promise<string> {
    if (isLive(path) && !(await this.own.exists(path))) return this.liveText(path);
    return this.own.readFile(path, options);
  }
  async readFileBuffer(path: string): Promise<Uint8Array> {
    if (isLive(path) && !(await this.own.exists(path))) return new TextEncoder().encode(await this.liveText(path));
    return this.own.readFileBuffer(path);
  }
  async writeFile(
    path: string,
    content: string | Uint8Array,
    options?: Parameters<IFileSystem['writeFile']>[2],
  ): Promise<void> {
    if (path === '/dev/null') return;
    if (path.startsWith('/proc/') || path.startsWith('/sys/')) {
      const text = typeof content === 'string' ? content : new TextDecoder().decode(content);
      const error = await this.live.write(path, text);
      if (error !== undefined) throw new FsError(`${codeOf(error)}: ${error}, open '${path}'`);
      return;
    }
    await this.own.writeFile(path, content, options);
  }
  async appendFile(
    path: string,
    content: string | Uint8Array,
    options?: Parameters<IFileSystem['appendFile']>[2],
  ): Promise<void> {
    if (path.startsWith('/proc/') || path.startsWith('/sys/')) return this.writeFile(path, content);
    if (isLive(path) && !(await this.own.exists(path)) && (await this.exists(path))) {
      await this.own.writeFile(path, await this.liveText(path));
    }
    await this.own.appendFile(path, content, options);
  }
  async exists(path: string): Promise<boolean> {
    if (await this.own.exists(path)) return true;
    if (!isLive(path)) return path === '/proc' || path === '/sys';
    return (await this.live.list(path)) !== undefined || 'text' in (await this.live.read(path));
  }
  async stat(path: string): Promise<FsStat> {
    if ((await this.own.exists(path)) || !isLive(path)) return this.own.stat(path);
    if ((await this.live.list(path)) !== undefined) return stat(true, 0);
    const r = await this.live.read(path);
    if (!('text' in r) && r.error !== 'Permission denied') throw enoent(path);
    return stat(false, 'text' in r ? r.text.length : 0);
  }
  lstat(path: string): Promise<FsStat> {
    return this.stat(path);
  }
  async mkdir(path: string, options?: Parameters<IFileSystem['mkdir']>[1]): Promise<void> {
    await this.own.mkdir(path, options);
  }
  async readdir(path: string): Promise<string[]> {
    const own = (await this.own.exists(path)) ? await this.own.readdir(path) : [];
    const live = isLive(path) ? ((await this.live.list(path)) ?? []) : path === '/' ? ['etc', 'proc', 'sys'] : [];
    if (own.length === 0 && live.length === 0 && !(await this.own.exists(path))) throw enoent(path);
    return [...new Set([...own, ...live])].filter((n) => n !== '.keep').sort();
  }
  async rm(path: string, options?: Parameters<IFileSystem['rm']>[1]): Promise<void> {
    await this.own.rm(path, options);
  }
  async cp(src: string, dest: string, options?: Parameters<IFileSystem['cp']>[2]): Promise<void> {
    if (isLive(src) && !(await this.own.exists(src))) await this.own.writeFile(dest, await this.liveText(src));
    else await this.own.cp(src, dest, options);
  }
  mv(src: string, dest: string): Promise<void> {
    return this.own.mv(src, dest);
  }
  resolvePath(base: string, path: string): string {
    return resolvePath(base, path);
  }
  getAllPaths(): string[] {
    return this.own.getAllPaths();
  }
  chmod(path: string, mode: number): Promise<void> {
    return this.own.chmod(path, mode);
  }
  symlink(target: string, linkPath: string): Promise<void> {
    return this.own.symlink(target, linkPath);
  }
  link(existing: string, path: string): Promise<void> {
    return this.own.link(existing, path);
  }
  readlink(path: string): Promise<string> {
    return this.own.readlink(path);
  }
  async realpath(path: string): Promise<string> {
    return (await this.own.exists(path)) ? this.own.realpath(path) : path;
  }
  async utimes(path: string, atime: Date, mtime: Date): Promise<void> {
    await this.own.utimes(path, atime, mtime);
  }
}

const codeOf = (error: string): string =>
  error === 'Permission denied' ? 'EACCES' : error === 'Read-only file system' ? 'EROFS' : 'EINVAL';

function stat(directory: boolean, size: number): FsStat {
  return {
    isFile: !directory,
    isDirectory: directory,
    isSymbolicLink: false,
    mode: directory ? 0o755 : 0o644,
    size,
    mtime: EPOCH,
  };
}
