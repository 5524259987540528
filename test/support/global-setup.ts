import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../apps/cli/bootstrap/build.mjs';

/**
 * Starts the one Postgres server that all test files of a run share, each with databases of its own, and leaves its
 * address in TEST_POSTGRES_URL; an address that is already there is used instead. Jest runs this once however many of
 * its projects name it.
 *
 * Jest loads this file outside of its module system, so it reads the compiled sources, which it brings up to date.
 */
export default async function startSharedPostgres(): Promise<void> {
  await build();
  const runId = randomBytes(6).toString('hex');
  process.env['TEST_RUN_ID'] = runId;
  process.env['OPENAPI_OF_TESTS'] = join(tmpdir(), `countinghouse-openapi-${runId}.json`);
  if (process.env['TEST_POSTGRES_URL']) return;
  const compiled = '../../dist/apps/cli/index.js';
  const { findFreePort, startEmbeddedPostgres } = (await import(
    compiled
  )) as typeof import('../../apps/cli/index.js');

  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-test-'));
  const server = await startEmbeddedPostgres({
    folder: join(folder, 'postgres'),
    port: await findFreePort(),
    password: 'test',
    settings: [
      // Tests end processes, never the machine, so nothing that they can see depends on reaching the disk.
      'fsync=off',
      'full_page_writes=off',
      'max_connections=300',
      'autovacuum_naptime=10s',
      // Tests open thousands of connections. Nobody attacks their passwords.
      'scram_iterations=1',
    ],
  });
  globalThis.sharedPostgres = { folder, server };
  process.env['TEST_POSTGRES_URL'] = server.url;
}
