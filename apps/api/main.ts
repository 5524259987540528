import 'reflect-metadata';
import { runProcess } from '#libs/runtime';
import { createApiApp } from './http/create-app.js';

await runProcess('api', async (settings) => {
  const app = await createApiApp(settings);
  await app.listen(settings.port, settings.host);
  const { port } = new URL(await app.getUrl());
  return { port: Number(port), close: () => app.close() };
});
