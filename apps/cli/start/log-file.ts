import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** How a log file is kept. */
export interface LogFileOptions {
  /** A new file begins before one grows beyond this. */
  maxBytes?: number;
  /** How many older files are kept. */
  kept?: number;
  /** Lines that cannot be written yet are kept in memory up to this size; those after them are lost, and counted. */
  maxWaitingBytes?: number;
  /** How long to wait before the next try to write. */
  retryMillis?: number;
  /** Called when a line cannot be written, and not again until `onRecovery`. */
  onFailure?: (error: Error) => void;
  /** Called when lines are written again. */
  onRecovery?: () => void;
}

/**
 * Appends lines to a file, and begins a new one when it has grown: `x.log` becomes `x.log.1`, and so on. Nothing that goes
 * wrong with the file ends the process: while the disk is full, lines wait, and are written when there is room.
 */
export class LogFile {
  private file: FileHandle | undefined;
  /** Size of the file up to its last whole line; undefined until it was opened. */
  private bytes: number | undefined;
  private readonly waiting: string[] = [];
  private waitingBytes = 0;
  /** Lines that found no place among those that wait. */
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
      kept: 3,
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
    // A single line may be longer than all that may wait.
    if (this.waitingBytes > 0 && this.waitingBytes + size > this.options.maxWaitingBytes) {
      this.lost++;
      return;
    }
    this.keep(text);
    this.writing ??= this.writeWaiting().finally(() => (this.writing = undefined));
  }

  /** Resolves when everything is written. What cannot be written at a last try is given up. */
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
        await pause(retryMillis, undefined, { signal: this.closing.signal }).catch(() => undefined);
      }
    }
  }

  /** Writes as many lines as fit into the file, at least one. */
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
    // The write that failed may have left a part of a line.
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
    const { kept } = this.options;
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
      this.keep(`Lines missing here, since the log could not be written: ${this.lost}\n`);
      this.lost = 0;
    }
    if (!this.failing) return;
    this.failing = false;
    this.options.onRecovery();
  }
}
