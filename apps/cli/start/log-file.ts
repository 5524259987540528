import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { createLogger, sleep } from '#libs/kernel/system';

/** The limits and callbacks of a log file. */
export interface LogFileOptions {
  /** The largest size of one file. A line that would exceed this size begins a new file. */
  maxBytes?: number;
  /** The number of older files that are kept. */
  keptFiles?: number;
  /** The largest total size of lines that wait in memory. Lines beyond this size are dropped, and their number is counted. */
  maxWaitingBytes?: number;
  /** The pause before a failed write is tried again. */
  retryMillis?: number;
  /** This function is called when writing fails. `onFailure` is not called again before `onRecovery`. */
  onFailure?: (error: Error) => void;
  /** This function is called when writing works again after a failure. */
  onRecovery?: () => void;
}

/**
 * Appends lines to a log file. When the file is full, it is renamed from `x.log` to `x.log.1`, and a new file begins. An error of the file
 * does not end the process. While the disk is full, lines wait in memory, and are written later.
 */
export class LogFile {
  private file: FileHandle | undefined;
  /** The size of the file up to its last complete line; undefined before it is opened. */
  private bytes: number | undefined;
  private readonly waiting: string[] = [];
  private waitingBytes = 0;
  /** The number of lines that were dropped because too many were waiting. */
  private lost = 0;
  private failing = false;
  private writing: Promise<void> | undefined;
  private readonly closing = new AbortController();
  private readonly options: Required<LogFileOptions>;

  constructor(
    readonly path: string,
    options: LogFileOptions = {},
  ) {
    this.options = {
      maxBytes: 10 * 1024 * 1024,
      keptFiles: 3,
      maxWaitingBytes: 4 * 1024 * 1024,
      retryMillis: 1_000,
      onFailure: () => undefined,
      onRecovery: () => undefined,
      ...options,
    };
  }

  write(line: string): void {
    const text = `${line}\n`;
    const size = Buffer.byteLength(text);
    // A single line is accepted even if it is longer than the limit.
    if (this.waitingBytes > 0 && this.waitingBytes + size > this.options.maxWaitingBytes) {
      this.lost++;
      return;
    }
    this.keep(text);
    this.writing ??= this.writeWaiting().finally(() => (this.writing = undefined));
  }

  /** Writes all waiting lines and closes the file. Lines that cannot be written now are lost. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.writing;
    await this.closeFile();
  }

  private keep(text: string): void {
    this.waiting.push(text);
    this.waitingBytes += Buffer.byteLength(text);
  }

  private async writeWaiting(): Promise<void> {
    while (this.waiting.length > 0) {
      try {
        await this.writeSome();
        this.noteRecovery();
      } catch (error) {
        this.noteFailure(error as Error);
        await this.closeFile();
        if (this.closing.signal.aborted) return;
        const { retryMillis } = this.options;
        await sleep(retryMillis, this.closing.signal);
      }
    }
  }

  /** Writes as many waiting lines as fit into the file, but at least one. */
  private async writeSome(): Promise<void> {
    let { file, size } = await this.openFile();
    const { maxBytes } = this.options;
    if (size > 0 && size + Buffer.byteLength(this.waiting[0]!) > maxBytes) {
      await this.rotate();
      ({ file, size } = await this.openFile());
    }
    let count = 0;
    let added = 0;
    for (const line of this.waiting) {
      const length = Buffer.byteLength(line);
      if (count > 0 && size + added + length > maxBytes) break;
      count++;
      added += length;
    }
    await file.appendFile(this.waiting.slice(0, count).join(''));
    this.bytes = size + added;
    this.waiting.splice(0, count);
    this.waitingBytes -= added;
  }

  private async openFile(): Promise<{ file: FileHandle; size: number }> {
    if (this.file && this.bytes !== undefined) return { file: this.file, size: this.bytes };
    this.file = await open(this.path, 'a', 0o600);
    const { size } = await this.file.stat();
    // A failed write may have left an incomplete line, which is cut off.
    if (this.bytes !== undefined && size > this.bytes) await this.file.truncate(this.bytes);
    this.bytes = Math.min(size, this.bytes ?? size);
    return { file: this.file, size: this.bytes };
  }

  private async closeFile(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    await file?.close().catch(() => undefined);
  }

  private async rotate(): Promise<void> {
    await this.closeFile();
    const { keptFiles: kept } = this.options;
    await rm(`${this.path}.${kept}`, { force: true });
    for (let number = kept - 1; number >= 0; number--) {
      const from = number === 0 ? this.path : `${this.path}.${number}`;
      await rename(from, `${this.path}.${number + 1}`).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
    this.bytes = undefined;
  }

  private noteFailure(error: Error): void {
    if (this.failing) return;
    this.failing = true;
    this.options.onFailure(error);
  }

  private noteRecovery(): void {
    if (this.lost > 0) {
      createLogger('log', 'warn', { write: (text) => this.keep(text) }).warn(
        { lost: this.lost },
        'lines are missing here, since the log could not be written',
      );
      this.lost = 0;
    }
    if (!this.failing) return;
    this.failing = false;
    this.options.onRecovery();
  }
}
