import 'reflect-metadata';
import { runProcess } from '#libs/kernel/runtime';
import { ReadinessCheck } from './health/readiness-check.js';
import { createApiApp } from './http/create-app.js';

await runProcess('api', async (settings) => {
  const app = await createApiApp(settings);
  await app.listen(settings.port, settings.host);
  const { port } = new URL(await app.getUrl());
  const readiness = app.get(ReadinessCheck, { strict: false });
  return {
    port: Number(port),
    ready: () => readiness.check(),
    drain: () => readiness.reportNotReady(),
    close: () => app.close(),
  };
});
