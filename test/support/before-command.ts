import { jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { AggregateStore } from '#libs/kernel/event-store';

/** Runs `hook` before every command of these types that the app gives to an aggregate. Restoring the mocks ends this. */
export function beforeCommand(
  app: INestApplicationContext,
  types: string | readonly string[],
  hook: (type: string) => Promise<void>,
): void {
  const store = app.get(AggregateStore);
  const execute = store.execute.bind(store);
  jest.spyOn(store, 'execute').mockImplementation(async (decider, id, context, command) => {
    const { type } = command as { type?: string };
    if (type !== undefined && [types].flat().includes(type)) await hook(type);
    return execute(decider, id, context, command);
  });
}

/** Holds every command of these types until the function that is returned is called. */
export function holdCommands(app: INestApplicationContext, ...types: string[]): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  beforeCommand(app, types, () => promise);
  return resolve;
}
