import type { EventStoreDBClient } from '@eventstore/db-client';

/** The appends of one stream, which wait until each is released. */
export interface HeldAppends {
  /** The client, but for those appends. */
  readonly client: EventStoreDBClient;
  /** Resolves when so many of them have come, from the beginning. */
  arrived(count: number): Promise<void>;
  /** How many wait now. */
  waiting(): number;
  /** Lets the one that has waited longest go on. */
  release(): void;
}

/**
 * Holds the appends of one stream until they are released one by one.
 *
 * @param meanwhile in place of waiting: what is done before each goes on
 */
export function holdAppends(
  client: EventStoreDBClient,
  stream: string,
  meanwhile?: () => Promise<unknown>,
): HeldAppends {
  let count = 0;
  const waiting: (() => void)[] = [];
  const arrivals = new Map<number, PromiseWithResolvers<void>>();
  const arrival = (number: number): PromiseWithResolvers<void> => {
    const known = arrivals.get(number) ?? Promise.withResolvers<void>();
    arrivals.set(number, known);
    return known;
  };
  const append: EventStoreDBClient['appendToStream'] = async (name, ...others) => {
    if (name === stream) {
      const turn = meanwhile ? meanwhile() : new Promise<void>((resolve) => waiting.push(resolve));
      arrival(++count).resolve();
      await turn;
    }
    return client.appendToStream(name, ...others);
  };
  return {
    client: new Proxy(client, {
      get(target, property) {
        if (property === 'appendToStream') return append;
        const value: unknown = Reflect.get(target, property);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    }),
    arrived: (number) => arrival(number).promise,
    waiting: () => waiting.length,
    release: () => waiting.shift()?.(),
  };
}
