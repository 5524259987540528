import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { systemClock } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import { paddingOf, TAR_BLOCK, tarHeader } from './tar.js';

/** The size and the checksum of one file that was written into an archive. */
export interface ArchivePart {
  /** The size in the archive, in bytes. */
  readonly bytes: number;
  /** The SHA-256 of the file's bytes, in hex. */
  readonly sha256: string;
}

/**
 * Writes a tar archive that only its owner can read. The file name has the suffix `.partial` until the archive is complete and on disk. The
 * file is then renamed. A file with the final name is therefore always a complete backup.
 */
export class ArchiveWriter {
  private position = 0;
  private readonly madeAt = Math.floor(systemClock.nowMillis() / 1_000);

  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
  ) {}

  /**
   * Creates the partial file of the archive. Throws a {@link CliError} if the archive or its partial file already exists, or if the partial
   * file cannot be created.
   */
  static async create(path: string): Promise<ArchiveWriter> {
    if (await stat(path).catch(() => undefined))
      throw new CliError(`${path} exists already; name another file, or move that one away`);
    const file = await open(partialPath(path), 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST')
        throw new CliError(
          `${partialPath(path)} exists already: another backup is writing it, or was killed; remove it, or name another file`,
        );
      throw writeError(path, error);
    });
    return new ArchiveWriter(path, file);
  }

  /** Adds a file. The size of the file need not be known in advance. */
  async add(name: string, content: Readable | Iterable<Buffer>): Promise<ArchivePart> {
    const headerAt = this.position;
    this.position += TAR_BLOCK;
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of content as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      await this.write(chunk);
    }
    await this.write(Buffer.alloc(paddingOf(bytes)));
    await this.write(tarHeader({ name, size: bytes }, this.madeAt), headerAt);
    return { bytes, sha256: hash.digest('hex') };
  }

  /** Completes the archive and renames it to its final name. Returns its size in bytes. */
  async finish(): Promise<number> {
    await this.write(Buffer.alloc(2 * TAR_BLOCK));
    try {
      await this.file.sync();
      await this.file.close();
      await rename(partialPath(this.path), this.path);
      await syncFolder(dirname(this.path));
    } catch (error) {
      throw writeError(this.path, error as Error);
    }
    return this.position;
  }

  /** Removes the partial file. */
  async discard(): Promise<void> {
    await this.file.close().catch(() => undefined);
    await rm(partialPath(this.path), { force: true });
  }

  private async write(bytes: Buffer, at?: number): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      const from = (at ?? this.position) + written;
      const result = await this.file
        .write(bytes, written, bytes.length - written, from)
        .catch((error: Error) => {
          throw writeError(this.path, error);
        });
      written += result.bytesWritten;
    }
    if (at === undefined) this.position += bytes.length;
  }
}

const partialPath = (path: string): string => `${path}.partial`;

const writeError = (path: string, error: Error): CliError =>
  new CliError(`${path} cannot be written: ${error.message}`);

/** Flushes a folder to disk, so that a rename in it survives a power loss. Windows cannot flush folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
