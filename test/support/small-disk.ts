import { execFile } from 'node:child_process';
import { chmod, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PIECE = Buffer.alloc(1024 * 1024);

/** A file system of a few megabytes in memory, which can be filled to the last byte. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Mounts one at this folder. Undefined, with the reason told, where this machine does not let us. */
  static async mount(
    folder: string,
    megabytes: number,
    told: (reason: string) => void,
  ): Promise<SmallDisk | undefined> {
    await mkdir(folder, { recursive: true });
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
    } catch (error) {
      told(`a small file system cannot be mounted here (${(error as Error).message.trim()})`);
      return undefined;
    }
    // The database server runs as another user than root.
    await chmod(folder, 0o755);
    return new SmallDisk(folder);
  }

  private get filler(): string {
    return join(this.folder, 'filler');
  }

  /** Takes all the room that is left. */
  async fill(): Promise<void> {
    const file = await open(this.filler, 'a');
    try {
      // Down to single bytes: what is left of a piece that did not fit would still hold a page of a table.
      for (let size = PIECE.length; size >= 1;)
        await file.write(PIECE, 0, size).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOSPC') throw error;
          size = Math.floor(size / 2);
        });
    } finally {
      await file.close();
    }
  }

  /** Gives the room back. */
  async empty(): Promise<void> {
    await rm(this.filler, { force: true });
  }

  /** Takes it away, also from under a process that still has a file on it. */
  async unmount(): Promise<void> {
    await run('umount', ['-l', this.folder]);
  }
}
