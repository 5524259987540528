import { rm } from 'node:fs/promises';
import pg from 'pg';

/**
 * Stops the server that global-setup.ts started, and removes its files and the OpenAPI document of the run. A server that was there before is
 * tidied.
 */
export default async function stopSharedPostgres(): Promise<void> {
  // Node can spin for ever while it frees the environment of a process that has run hundreds of others (`uv_run` in `CleanupHandles`).
  // An explicit exit frees nothing. It comes only when the event loop is empty, so it hides no handle that a test has left open.
  process.once('beforeExit', () => process.exit());
  await rm(process.env['OPENAPI_OF_TESTS']!, { force: true });
  const shared = globalThis.sharedPostgres;
  if (shared) {
    await shared.server.stop();
    await rm(shared.folder, { recursive: true, force: true });
    return;
  }
  const client = new pg.Client(process.env['TEST_POSTGRES_URL']);
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS template_${process.env['TEST_RUN_ID']}`);
  await client.end();
}

declare global {
  var sharedPostgres: { folder: string; server: { stop(): Promise<unknown> } } | undefined;
}
