import { open, readFile, type FileHandle } from 'node:fs/promises';
import { parseJson } from '#libs/kernel/core';

/** An answer of the API. */
export interface Answer {
  status: number;
  /** Whether it was marked as the answer to an earlier request with the same key. */
  replayed: boolean;
  body: unknown;
}

/** A request as it was written down before it was sent. */
export interface Request {
  /** The workspace that it belongs to. */
  workspace: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** The `Idempotency-Key`. */
  key?: string;
  body?: unknown;
}

/** A request of the journal with every answer that came to it: the first, and those to its repetitions. */
export interface Entry extends Request {
  number: number;
  answers: Answer[];
}

type Line = { number: number; request: Request } | { number: number; answer: Answer };

/**
 * What a client did, in a file: each request before it is sent, and each answer before anything follows from it. What
 * is written down is on disk, so the file can be held against a server whatever became of either.
 */
export class Journal {
  private waiting: { text: string; written: () => void; failed: (error: unknown) => void }[] = [];
  private writing: Promise<void> | undefined;
  private count = 0;
  private listeners = new Set<() => void>();
  /** Requests that have got their first answer. */
  answered = 0;

  readonly path: string;
  private readonly file: FileHandle;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.file = file;
  }

  /** Begins a new journal in this file. */
  static async begin(path: string): Promise<Journal> {
    return new Journal(path, await open(path, 'w'));
  }

  /** Writes a request down and numbers it. */
  async request(request: Request): Promise<number> {
    const number = ++this.count;
    await this.write({ number, request });
    return number;
  }

  /** Writes an answer down. */
  async answer(number: number, answer: Answer, isFirst: boolean): Promise<void> {
    await this.write({ number, answer });
    if (!isFirst) return;
    this.answered++;
    for (const listener of this.listeners) listener();
  }

  /** Resolves when so many requests have been answered. */
  async reached(answered: number): Promise<void> {
    if (this.answered >= answered) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.answered >= answered) resolve();
    };
    this.listeners.add(look);
    await promise.finally(() => this.listeners.delete(look));
  }

  async close(): Promise<void> {
    await this.writing;
    await this.file.close();
  }

  private write(line: Line): Promise<void> {
    return new Promise((written, failed) => {
      this.waiting.push({ text: `${JSON.stringify(line)}\n`, written, failed });
      this.writing ??= this.flush().finally(() => (this.writing = undefined));
    });
  }

  /** Everything that waits goes to disk together. */
  private async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const lines = this.waiting.splice(0);
      try {
        await this.file.appendFile(lines.map(({ text }) => text).join(''));
        await this.file.datasync();
        for (const { written } of lines) written();
      } catch (error) {
        for (const { failed } of lines) failed(error);
      }
    }
  }
}

/** Everything that a journal's file says, in the order of the requests. Numbers in bodies are as exact as they came. */
export async function readJournal(path: string): Promise<Entry[]> {
  const entries = new Map<number, Entry>();
  for (const text of (await readFile(path, 'utf8')).split('\n')) {
    if (text === '') continue;
    const line = parseJson(text) as Line;
    if ('request' in line) entries.set(line.number, { ...line.request, number: line.number, answers: [] });
    else entries.get(line.number)!.answers.push(line.answer);
  }
  return [...entries.values()];
}
