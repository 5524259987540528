import { playCatalog } from './catalog.ts';
import { playIdentity, type Access } from './identity.ts';
import { playFebruary } from './february.ts';
import { playJanuary } from './january.ts';
import { playMarch } from './march.ts';
import type { Sandbox } from './sandbox.ts';
import { playWebhooks } from './webhooks.ts';

export { signIn, type Access } from './identity.ts';

/**
 * Plays some months of a sandbox workspace through the API, with something of everything that is stored. In the end its clock stands still.
 *
 * @param receiver an address on this machine that takes webhooks
 */
export async function playHistory(url: string, receiver: string): Promise<Access> {
  const { access, ...clients } = await playIdentity(url);
  const sandbox: Sandbox = { ...clients, receiver };
  await sandbox.http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' });
  const webhookId = await playWebhooks(sandbox);
  const catalog = await playCatalog(sandbox);
  await playJanuary(sandbox, catalog);
  await playFebruary(sandbox, catalog);
  await playMarch(sandbox);
  // Nobody listens there any more.
  await sandbox.session.patch(`/v1/webhooks/${webhookId}`, { enabled: false });
  return access;
}
