import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Journal, Request } from './journal.ts';

/** What the clients of a run met with. */
export class Traffic {
  /** Requests that were answered in the end. */
  answered = 0;
  /** Times that a request was sent again because it had got no answer, or none that settles it. */
  retries = 0;
  /** Answers that were marked as given before. */
  replayed = 0;
  /** Answers 503 and 409 that ask for another attempt, by their code. */
  readonly putOff = new Map<string, number>();
  /** What no fault excuses: `500 internal_error to POST /v1/customers (request …)`, or no answer at all. */
  readonly faulty: string[] = [];
}

/** How a client repeats a request that it has no need to repeat. */
export type Repetition = 'together' | 'afterwards' | undefined;

/** No fault lasts as long: a request without an answer by then hangs. */
const ATTEMPT_MILLIS = 30_000;
/** The clock is moved in as many steps as there is something due. */
const ADVANCE_MILLIS = 120_000;
const GIVE_UP_MILLIS = 240_000;
const RETRY_MILLIS = 100;
/** 409s that say: not now. Every other one is final. */
const LATER = new Set(['idempotency_key_in_use', 'concurrent_modification', 'clock_in_motion']);

/** What a client works with. */
export interface ClientOptions {
  journal: Journal;
  traffic: Traffic;
  apiUrls: readonly string[];
  /** Whose entries in the journal these are. */
  workspace: string;
  credential?: string;
}

/**
 * A client that does what a good client does when a server fails under it: sends the same request with the same key
 * again, to whichever API answers, until one does. Everything it does stands in its journal.
 */
export class JournalingClient {
  private readonly options: ClientOptions;
  private turn = 0;

  constructor(options: ClientOptions) {
    this.options = options;
  }

  /** The same client with another credential. */
  as(credential: string): JournalingClient {
    return new JournalingClient({ ...this.options, credential });
  }

  /** The same client, which talks to what listens on this port alone. */
  only(port: number): JournalingClient {
    return new JournalingClient({ ...this.options, apiUrls: [`http://127.0.0.1:${port}`] });
  }

  /** Sends a write until it is settled, and returns its first answer, whatever it says. */
  async post(path: string, body: object, key?: string, repetition?: Repetition): Promise<Answer> {
    return this.repeat({ method: 'POST', path, body, ...(key === undefined ? {} : { key }) }, repetition);
  }

  /** As `post`. A DELETE has no key: what is removed already is refused. */
  async delete(path: string, body: object, repetition?: Repetition): Promise<Answer> {
    return this.repeat({ method: 'DELETE', path, body }, repetition);
  }

  async put(path: string, body: object): Promise<Answer> {
    return this.write({ method: 'PUT', path, body }, 1, false);
  }

  /** Reads, as often as it takes. Throws on anything but 200. */
  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.settle({ method: 'GET', path });
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body as T;
  }

  private async repeat(request: Omit<Request, 'workspace'>, repetition?: Repetition): Promise<Answer> {
    return this.write(request, repetition === 'together' ? 2 : 1, repetition === 'afterwards');
  }

  private async write(request: Omit<Request, 'workspace'>, copies: number, again: boolean): Promise<Answer> {
    const number = await this.options.journal.request({ workspace: this.options.workspace, ...request });
    let first: Answer | undefined;
    const send = async (): Promise<void> => {
      const answer = await this.settle(request);
      const isFirst = first === undefined;
      first ??= answer;
      if (answer.replayed) this.options.traffic.replayed++;
      await this.options.journal.answer(number, answer, isFirst);
    };
    await Promise.all(Array.from({ length: copies }, send));
    if (again) await send();
    this.options.traffic.answered++;
    return first!;
  }

  private async settle(request: Omit<Request, 'workspace'>): Promise<Answer> {
    const deadline = performance.now() + GIVE_UP_MILLIS;
    for (let last: string; ; this.options.traffic.retries++) {
      try {
        const answer = await this.send(request);
        if (!this.isPutOff(request, answer)) return answer;
        last = `${answer.status} ${JSON.stringify(answer.body)}`;
      } catch (error) {
        last = `no answer (${(error as Error).message})`;
        if ((error as Error).name === 'TimeoutError')
          this.options.traffic.faulty.push(
            `no answer to ${request.method} ${request.path}, nor an end of it`,
          );
      }
      if (performance.now() > deadline)
        throw new Error(`${request.method} ${request.path} was not settled in four minutes: ${last}`);
      // The servers are being restarted; there is nothing to be notified by.
      await pause(RETRY_MILLIS);
    }
  }

  /** Whether the answer asks for another attempt; notes why. */
  private isPutOff({ method, path }: Omit<Request, 'workspace'>, { status, body }: Answer): boolean {
    const { code = 'unknown', requestId } = (body ?? {}) as { code?: string; requestId?: string };
    if (status >= 500 && status !== 503)
      this.options.traffic.faulty.push(`${status} ${code} to ${method} ${path} (request ${requestId})`);
    else if (status !== 503 && !(status === 409 && LATER.has(code))) return false;
    this.options.traffic.putOff.set(code, (this.options.traffic.putOff.get(code) ?? 0) + 1);
    return true;
  }

  private async send({ method, path, body, key }: Omit<Request, 'workspace'>): Promise<Answer> {
    const url = this.options.apiUrls[this.turn++ % this.options.apiUrls.length]!;
    const response = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(path.endsWith('/clock/advance') ? ADVANCE_MILLIS : ATTEMPT_MILLIS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        ...(this.options.credential === undefined
          ? {}
          : { authorization: `Bearer ${this.options.credential}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
    });
    const text = await response.text();
    return {
      status: response.status,
      replayed: response.headers.get('idempotency-replayed') === 'true',
      body: text === '' ? null : (JSON.parse(text) as unknown),
    };
  }
}
