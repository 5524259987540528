import type { Writable } from 'node:stream';

/**
 * The reason with which every call is aborted. A string has no stack: an error with a stack for each call would cost a twentieth of the
 * node's time.
 */
const GONE = 'gone';

/** The side of a call that sends the stream of answers. It tells whether the client is slow, and whether it has gone. */
export class ResponseSink<Response> {
  readonly #call: Writable;
  readonly #gone = new AbortController();
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(call: Writable) {
    this.#call = call;
    call.on('drain', () => this.#release());
    call.on('cancelled', () => {
      this.#gone.abort(GONE);
      this.#release();
    });
  }

  /** It is aborted when the client does not read answers any more. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Sends one answer. If this returns false, wait for {@link ready} before the next. */
  write(response: Response): boolean {
    if (this.#gone.signal.aborted) return false;
    return this.#call.write(response);
  }

  /** Resolves when the client has received everything that was sent, or is gone. */
  ready(): Promise<void> {
    if (this.#gone.signal.aborted || !this.#call.writableNeedDrain) return Promise.resolve();
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
