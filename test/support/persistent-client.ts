import { setTimeout as pause } from 'node:timers/promises';

/** An answer of the API. */
export interface Answer {
  status: number;
  replayed: boolean;
  body: unknown;
}

/** What a client wrote down: each request before it was sent, and its answer once it had one. */
export interface Entry {
  key: string;
  path: string;
  attempts: number;
  answer?: Answer;
}

const GIVE_UP_MILLIS = 60_000;

/**
 * A client that does what a good client does when a server fails under it: sends the same request with the same
 * `Idempotency-Key` again, until it has an answer. It keeps a journal, so that a test can compare what was
 * acknowledged with what is there.
 */
export class PersistentClient {
  readonly journal: Entry[] = [];
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly url: string,
    private readonly credential: string,
  ) {}

  async post(path: string, body: object, key: string): Promise<Answer> {
    const entry: Entry = { key, path, attempts: 0 };
    this.journal.push(entry);
    entry.answer = await this.persist(entry, { method: 'POST', body: JSON.stringify(body), key });
    for (const listener of this.listeners) listener();
    return entry.answer;
  }

  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.persist({ key: '', path, attempts: 0 }, { method: 'GET' });
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body as T;
  }

  /** Resolves when so many requests of the journal have been answered. */
  async answered(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (this.journal.filter(({ answer }) => answer).length >= count) resolve();
      };
      this.listeners.push(look);
      look();
    });
  }

  private async persist(
    entry: Entry,
    request: { method: string; body?: string; key?: string },
  ): Promise<Answer> {
    const deadline = performance.now() + GIVE_UP_MILLIS;
    for (;;) {
      entry.attempts++;
      const answer = await this.send(entry.path, request).catch(() => undefined);
      if (answer && answer.status < 500 && answer.status !== 409) return answer;
      if (performance.now() > deadline)
        throw new Error(
          `${request.method} ${entry.path} got no answer in a minute: ${JSON.stringify(answer)}`,
        );
      // The server is being restarted; there is nothing to be notified by.
      await pause(100);
    }
  }

  private async send(
    path: string,
    { method, body, key }: { method: string; body?: string; key?: string },
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      ...(body === undefined ? {} : { body }),
      headers: {
        authorization: `Bearer ${this.credential}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
    });
    const text = await response.text();
    return {
      status: response.status,
      replayed: response.headers.get('idempotency-replayed') === 'true',
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
  }
}
