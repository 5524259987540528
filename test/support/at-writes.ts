import { jest } from '@jest/globals';
import { QueuedLogWriter } from '../../apps/eventstore/writer/queued-log-writer.js';
import { isEmbedded } from './store-process.js';

/** What a test does around one write of the embedded node. */
export interface AroundWrite {
  /** Is done before the write. If it returns false, nothing is written, and the client gets an error. */
  before?: () => Promise<boolean | void>;
  /** Is done after the write is on disk and before the client gets an answer. */
  after?: () => Promise<void>;
}

/**
 * Calls `find` for each append that reaches the embedded node, from whichever process, with the types of its events and the name of its
 * stream. What it returns is done around the append. The write waits for it, whatever its deadline. Restoring the mocks ends this.
 *
 * @throws Error with another event store, which would never call `find`; such tests belong to `itOfNode` or `describeOfNode`
 */
export function atWrites(find: (types: readonly string[], stream: string) => AroundWrite | undefined): void {
  if (!isEmbedded)
    throw new Error('Only writes of the embedded node can be held: use itOfNode or describeOfNode');
  const { write } = QueuedLogWriter.prototype;
  jest.spyOn(QueuedLogWriter.prototype, 'write').mockImplementation(async function (
    this: QueuedLogWriter,
    request,
    deadline,
    signal,
  ) {
    const around =
      request.kind === 'append'
        ? find(
            request.events.map(({ type }) => type),
            request.stream.name,
          )
        : undefined;
    if (!around) return write.call(this, request, deadline, signal);
    if ((await around.before?.()) === false) return { kind: 'failed', message: 'The test wrote nothing.' };
    const outcome = await write.call(this, request, Infinity);
    await around.after?.();
    return outcome;
  });
}

/** Appends that wait at the embedded node until each is released. */
export interface HeldWrites {
  /** Resolves when an append of each of the types has come. */
  readonly arrived: Promise<unknown>;
  /** Resolves when an append of this type has come. */
  arrivalOf(type: string): Promise<void>;
  /** Lets the append with an event of this type go on. Resolves when it was written or refused. */
  release(type: string): Promise<void>;
}

/** Holds the first append with an event of each of these types. Later ones pass. Restoring the mocks ends this. */
export function holdWrites(...types: string[]): HeldWrites {
  const held = new Map(
    types.map((type) => [
      type,
      {
        isTaken: false,
        arrived: Promise.withResolvers<void>(),
        go: Promise.withResolvers<void>(),
        done: Promise.withResolvers<void>(),
      },
    ]),
  );
  atWrites((written) => {
    const one = written.map((type) => held.get(type)).find((found) => found !== undefined);
    if (!one || one.isTaken) return undefined;
    one.isTaken = true;
    return {
      before: async () => {
        one.arrived.resolve();
        await one.go.promise;
      },
      after: async () => one.done.resolve(),
    };
  });
  return {
    arrived: Promise.all([...held.values()].map(({ arrived }) => arrived.promise)),
    arrivalOf: (type) => held.get(type)!.arrived.promise,
    async release(type) {
      const one = held.get(type)!;
      one.go.resolve();
      await one.done.promise;
    },
  };
}
