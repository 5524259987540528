import 'reflect-metadata';
import { runProcess } from '#libs/kernel/runtime';
import { createSagaApp } from './create-app.js';
import { checkSagaReady } from './readiness.js';
import { SagaProcess } from './saga-process.js';

await runProcess('saga', async (settings) => {
  const app = await createSagaApp(settings);
  return {
    ready: () => checkSagaReady(app, settings),
    close: () => app.close(),
    failed: app.get(SagaProcess).failure,
  };
});
