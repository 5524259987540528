import type { Writable } from 'node:stream';

/** Every call ends so: an error with a stack for each would cost a twentieth of the node's time. */
const GONE = 'gone';

/** The answering side of a call that streams its answers: says when the client is slow, and when it has gone. */
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

  /** Aborted when nobody reads the answers any more. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Sends one answer. When it returns false, wait for {@link ready} before the next. */
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
