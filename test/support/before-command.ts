import { jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { AggregateStore } from '#libs/event-store';

/** Runs `hook` before every command of this type that the app's aggregates are given, until mocks are restored. */
export function beforeCommand(app: INestApplicationContext, type: string, hook: () => Promise<void>): void {
  const store = app.get(AggregateStore);
  const execute = store.execute.bind(store);
  jest.spyOn(store, 'execute').mockImplementation(async (decider, id, context, command) => {
    if ((command as { type?: string }).type === type) await hook();
    return execute(decider, id, context, command);
  });
}
