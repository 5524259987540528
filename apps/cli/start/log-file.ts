import { createWriteStream, fstatSync, openSync, renameSync, rmSync, type WriteStream } from 'node:fs';

/** Appends lines to a file, and begins a new one when it has grown: `x.log` becomes `x.log.1`, and so on. */
export class LogFile {
  private stream: WriteStream;
  private bytes: number;

  constructor(
    readonly path: string,
    private readonly maxBytes = 10 * 1024 * 1024,
    private readonly kept = 3,
  ) {
    [this.stream, this.bytes] = this.open();
  }

  write(line: string): void {
    const text = `${line}\n`;
    const size = Buffer.byteLength(text);
    if (this.bytes > 0 && this.bytes + size > this.maxBytes) this.rotate();
    this.bytes += size;
    this.stream.write(text);
  }

  /** Resolves when everything is written. */
  close(): Promise<void> {
    return new Promise((resolve) => this.stream.end(resolve));
  }

  private rotate(): void {
    // What is still to be written goes to the old file by its descriptor, under its new name.
    this.stream.end();
    rmSync(`${this.path}.${this.kept}`, { force: true });
    for (let number = this.kept - 1; number >= 0; number--) {
      const from = number === 0 ? this.path : `${this.path}.${number}`;
      try {
        renameSync(from, `${this.path}.${number + 1}`);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    [this.stream, this.bytes] = this.open();
  }

  private open(): [WriteStream, number] {
    const fd = openSync(this.path, 'a', 0o600);
    return [createWriteStream(this.path, { fd }), fstatSync(fd).size];
  }
}
