import { jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { AggregateStore } from '#libs/kernel/event-store';

/** Runs `hook` before every command of this type, or of these, that the app's aggregates are given, until mocks are restored. */
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
