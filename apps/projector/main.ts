import 'reflect-metadata';
import { runProcess } from '#libs/runtime';
import { createProjectorApp } from './create-app.js';
import { ProjectorProcess } from './projector-process.js';

await runProcess('projector', async (settings) => {
  const app = await createProjectorApp(settings);
  return { close: () => app.close(), failed: app.get(ProjectorProcess).failed };
});
