// What the machine can do, measured in the same run, so that figures from different machines can be set side by side.
import { createHash } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { availableParallelism, cpus, release, totalmem, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export async function describeMachine({ databaseUrl }) {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
    baselines: {
      sha256MegabytesPerSecond: sha256(),
      fsyncsPerSecond: await fsyncs(),
      ...(await postgres(databaseUrl)),
    },
  };
}

function sha256() {
  const block = Buffer.alloc(1 << 20);
  const started = performance.now();
  let megabytes = 0;
  for (; performance.now() - started < 500; megabytes++) createHash('sha256').update(block).digest();
  return Math.round((megabytes * 1_000) / (performance.now() - started));
}

async function fsyncs() {
  const path = join(tmpdir(), `countinghouse-bench-${process.pid}`);
  const file = await open(path, 'w');
  const block = Buffer.alloc(8192);
  const started = performance.now();
  let count = 0;
  for (; performance.now() - started < 1_000; count++) {
    await file.write(block);
    await file.datasync();
  }
  await file.close();
  await unlink(path);
  return Math.round((count * 1_000) / (performance.now() - started));
}

async function postgres(url) {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query('SHOW server_version');
  await client.query('CREATE SCHEMA IF NOT EXISTS bench; CREATE TABLE IF NOT EXISTS bench.commits (n int)');
  const started = performance.now();
  let count = 0;
  for (; performance.now() - started < 1_000; count++)
    await client.query({ name: 'commit', text: 'INSERT INTO bench.commits VALUES (1)' });
  const perSecond = Math.round((count * 1_000) / (performance.now() - started));
  await client.end();
  return { postgres: rows[0].server_version, postgresCommitsPerSecond: perSecond };
}
