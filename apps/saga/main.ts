import 'reflect-metadata';
import { Pool } from 'pg';
import { EventFeed } from '#libs/event-store';
import { runChecks, runProcess } from '#libs/runtime';
import { createSagaApp } from './create-app.js';
import { SagaProcess } from './saga-process.js';

await runProcess('saga', async (settings) => {
  const app = await createSagaApp(settings);
  const [pool, feed] = [app.get(Pool, { strict: false }), app.get(EventFeed, { strict: false })];
  return {
    ready: () => runChecks({ postgres: () => pool.query('SELECT 1'), eventStore: () => feed.head() }),
    close: () => app.close(),
    failed: app.get(SagaProcess).failed,
  };
});
