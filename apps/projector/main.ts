import 'reflect-metadata';
import { Pool } from 'pg';
import { EventFeed } from '#libs/kernel/event-store';
import { runChecks, runProcess, storageCheck } from '#libs/kernel/runtime';
import { createProjectorApp } from './create-app.js';
import { ProjectorProcess } from './projector-process.js';

await runProcess('projector', async (settings) => {
  const app = await createProjectorApp(settings);
  const [pool, feed] = [app.get(Pool, { strict: false }), app.get(EventFeed, { strict: false })];
  return {
    ready: () =>
      runChecks({
        postgres: () => pool.query('SELECT 1'),
        ...storageCheck(pool),
        eventStore: () => feed.readHead(),
      }),
    close: () => app.close(),
    failed: app.get(ProjectorProcess).failure,
  };
});
