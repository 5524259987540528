// A rebuild of all read models by the very command, beside a process that reads the same events and does nothing.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EventStoreDBClient } from '@eventstore/db-client';
import pg from 'pg';
import { EventCodec, PersonalDataVault } from '#libs/kernel/event-store';
import { vocabulary } from '#libs/manifest';
import { startNodeAlone } from './node-alone.mjs';
import { appendHistory } from './history.mjs';

const required = 0.5;
const root = join(import.meta.dirname, '../..');

export async function benchRebuild({ databaseUrl }, { rebuildEvents }) {
  const node = await startNodeAlone(databaseUrl, 'rebuild');
  const { eventStoreUrl } = node;
  try {
    const appended = await fillLog(node.databaseUrl, eventStoreUrl, rebuildEvents);
    const read = () => program(join(import.meta.dirname, 'read-log.mjs'), [eventStoreUrl]);
    // Before and after, so that a machine that is slower for a while is slower for both.
    const before = await read();
    const rebuilt = await program(
      join(root, 'apps/cli/bootstrap.mjs'),
      ['projections', 'rebuild', '--all', '--json'],
      { DATABASE_URL: node.databaseUrl, EVENTSTORE_URL: eventStoreUrl },
    );
    const after = await read();
    const ours = rebuilt.events / rebuilt.seconds;
    const bare = (before.events + after.events) / (before.seconds + after.seconds);
    const isWhole = [before, rebuilt, after].every(({ events }) => events === appended);
    const ratio = ours / bare;
    return [
      {
        name: `rebuild of all ${rebuilt.swapped.length} read models, ${appended.toLocaleString('en-US')} events`,
        value: Math.round(ours),
        unit: 'events/s',
        baseline: { name: 'reading the same events and doing nothing', value: Math.round(bare) },
        ratio,
        required: `ratio >= ${required}`,
        seconds: rebuilt.seconds,
        passed: ratio >= required && isWhole,
        ...(isWhole ? {} : { appended, read: before.events, rebuilt: rebuilt.events }),
      },
    ];
  } finally {
    await node.stop();
  }
}

async function fillLog(databaseUrl, eventStoreUrl, least) {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const client = EventStoreDBClient.connectionString(eventStoreUrl);
  try {
    const codec = new EventCodec(new PersonalDataVault(pool), vocabulary());
    const appended = await appendHistory({ client, codec }, least);
    // As a database is that has not just been filled: without it the first reader pays for what the filling left.
    await pool.query('VACUUM ANALYZE');
    await pool.query('CHECKPOINT');
    return appended;
  } finally {
    await client.dispose();
    await pool.end();
  }
}

/** Runs a program that prints JSON, and resolves to that. */
async function program(file, args, env = {}) {
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], {
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout);
}
