import type { Writable } from 'node:stream';

/**
 * The abort reason of the signal {@link ResponseSink.clientGone}. It is a string, because an error with a stack for each call would cost a
 * twentieth of the node's time.
 */
const GONE = 'gone';

/**
 * The side of a gRPC call that sends the stream of responses. A response sink tells whether the client is slow, and whether the client has
 * disconnected.
 */
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

  /** The signal is aborted when the client no longer reads responses. */
  get clientGone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Sends one response. If `write` returns false, the caller must wait for {@link waitUntilWritable} before the next response. */
  write(response: Response): boolean {
    if (this.#gone.signal.aborted) return false;
    return this.#call.write(response);
  }

  /** Resolves when the call can take the next response, or the client has disconnected. */
  waitUntilWritable(): Promise<void> {
    if (this.#gone.signal.aborted || !this.#call.writableNeedDrain) return Promise.resolve();
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
