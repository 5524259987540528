import type { INestApplicationContext } from '@nestjs/common';
import { createApiApp } from '#apps/api';
import type { Settings } from '#libs/kernel/system';
import { clientOf, type Client, type System, type TestWorkspace } from './system.js';

/**
 * Runs `work` with a second API process of a system.
 *
 * @param work gets a client with the workspace's admin API key, and the process itself
 * @param settings those of the process that differ from the system's
 */
export async function withSecondApi<T>(
  system: Pick<System, 'settings'>,
  { apiKey }: Pick<TestWorkspace, 'apiKey'>,
  work: (client: Client, api: INestApplicationContext) => Promise<T>,
  settings: Partial<Settings> = {},
): Promise<T> {
  const api = await createApiApp({ ...system.settings, ...settings });
  await api.listen(0, '127.0.0.1');
  try {
    const url = (await api.getUrl()).replace('[::1]', '127.0.0.1');
    return await work(clientOf(url, { authorization: `Bearer ${apiKey}` }), api);
  } finally {
    await api.close();
  }
}
