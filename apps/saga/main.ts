import 'reflect-metadata';
import { Pool } from 'pg';
import { EventFeed } from '#libs/kernel/event-store';
import { NatsClient, natsCheck } from '#libs/kernel/nats';
import { runChecks, runProcess } from '#libs/kernel/runtime';
import { createSagaApp } from './create-app.js';
import { SagaProcess } from './saga-process.js';

await runProcess('saga', async (settings) => {
  const app = await createSagaApp(settings);
  const [pool, feed] = [app.get(Pool, { strict: false }), app.get(EventFeed, { strict: false })];
  const nats = settings.natsUrl === undefined ? undefined : app.get(NatsClient, { strict: false });
  return {
    ready: () =>
      runChecks(
        { postgres: () => pool.query('SELECT 1'), eventStore: () => feed.readHead() },
        natsCheck(nats),
      ),
    close: () => app.close(),
    failed: app.get(SagaProcess).failure,
  };
});
