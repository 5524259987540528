import 'reflect-metadata';
import { runProcess } from '#libs/runtime';
import { createSagaApp } from './create-app.js';
import { SagaProcess } from './saga-process.js';

await runProcess('saga', async (settings) => {
  const app = await createSagaApp(settings);
  return { close: () => app.close(), failed: app.get(SagaProcess).failed };
});
