import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { findFreePort, postgresUrl } from '#apps/cli';
import { countinghouse, endCommands, type CommandRun } from '../support/command.js';
import { SmallDisk } from '../support/small-disk.js';
import { JournalingClient, Traffic } from './load/client.js';
import { Journal, readJournal } from './load/journal.js';

/** Long enough for the supervisor to start Postgres in vain several times. */
const FULL_MILLIS = 20_000;
/** More than it takes with room again until everything is as before: the longest pause of the supervisor, and the start on a slow machine. */
const RECOVERY_MILLIS = 180_000;
const DISK_MEGABYTES = 512;
const EVENTS_A_REQUEST = 50;
const NOTE = 'x'.repeat(1_000);
const MINUTES = 60_000;

/** `npm start` with everything that it stores on a small disk, the database and the log files included. */
describe('a full data folder', () => {
  let folder: string;
  let disk: SmallDisk | undefined;
  let running: CommandRun;
  let journal: Journal;
  const traffic = new Traffic();
  let port: number;
  const dataDir = () => join(disk!.folder, 'data');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'full-data-folder-'));
    disk = await SmallDisk.mount(join(folder, 'disk'), DISK_MEGABYTES, (reason) =>
      process.stderr.write(`\nSKIPPED: a full data folder, since ${reason}\n`),
    );
    if (!disk) return;
    journal = await Journal.begin(join(folder, 'journal.ndjson'));
    port = await findFreePort();
    running = countinghouse(['start', '--no-demo'], {
      DATA_DIR: dataDir(),
      PORT: String(port),
      RATE_LIMIT_PER_SECOND: '100000',
    });
    await running.prints('Stop with Ctrl-C');
  });
  afterAll(async () => {
    await endCommands();
    await journal?.close();
    await disk?.unmount();
    await rm(folder, { recursive: true, force: true });
  });

  /** Makes the database write its own log until that finds no room either. Says how far it came. */
  const fillDatabaseLog = async (): Promise<string> => {
    const client = await connect(dataDir());
    try {
      for (;;) await client.query(`SELECT pg_logical_emit_message(false, 'full', repeat('x', 1000000))`);
    } catch (error) {
      return (error as Error).message;
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  it(
    'is answered with 503, and with room again all is as before and nothing acknowledged is lost',
    async () => {
      if (!disk) return;
      const client = await openAccount(
        new JournalingClient({
          journal,
          traffic,
          workspace: 'full',
          apiUrls: [`http://127.0.0.1:${port}`],
        }),
      );
      const over = new AbortController();
      const writers = [
        writeEvents(client, 'first', over.signal),
        writeEvents(client, 'second', over.signal),
        writeCustomers(client, over.signal),
      ];
      await journal.reached(100);

      let readyWhileFull: unknown;
      const full = performance.now();
      for (let tries = 0; performance.now() - full < FULL_MILLIS; tries++) {
        await disk.fill();
        // Not at once: first the tables have no room, and only then the log.
        if (tries === 9) readyWhileFull = await readiness(port);
        if (tries === 10) await fillDatabaseLog();
        await pause(500);
      }
      const refused = [...traffic.putOff.values()].reduce((sum, count) => sum + count, 0);
      const answered = journal.answered;
      await disk.empty();
      await Promise.race([
        journal.reached(answered + 100),
        pause(RECOVERY_MILLIS, undefined, { ref: false }),
      ]);
      const since = journal.answered - answered;
      over.abort();
      await Promise.all(writers);
      await untilReady(port);

      expect(traffic.faulty).toEqual([]);
      expect(readyWhileFull).toMatchObject({ status: 503, storage: { status: 'unavailable' } });
      expect(refused).toBeGreaterThan(10);
      expect(since).toBeGreaterThanOrEqual(100);
      await running.prints('The log files are written again');
      expect(running.output.text).toMatch(/postgres ended unexpectedly/);
      for (const [, name] of running.output.text.matchAll(/^(\w+) ended /gm))
        await running.prints(`${name} runs again`);
      expect(running.output.text.match(/The log files cannot be written/g)).toHaveLength(1);
      expect(await stored(dataDir())).toEqual(acknowledged(await readJournal(journal.path)));
    },
    10 * MINUTES,
  );

  it('stops as ever', async () => {
    if (!disk) return;
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });
});

/** Resolves when the API says that it is ready, its read models included. */
async function untilReady(port: number): Promise<void> {
  const deadline = performance.now() + RECOVERY_MILLIS;
  while (!(await fetch(`http://127.0.0.1:${port}/v1/health/ready`)).ok) {
    if (performance.now() > deadline) throw new Error('The API is not ready again');
    await pause(200);
  }
}

/** The status of the answer of the API about its readiness, and whether its storage can be written. */
async function readiness(port: number): Promise<object> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/health/ready`);
  const { checks } = (await answer.json()) as { checks: { storage?: object } };
  return { status: answer.status, storage: checks.storage };
}

async function openAccount(stranger: JournalingClient): Promise<JournalingClient> {
  const user = { email: 'full@example.com', password: 'a long enough password', name: 'Full' };
  const { body } = await stranger.post('/v1/auth/register', user);
  const session = stranger.as((body as { tokens: { accessToken: string } }).tokens.accessToken);
  const key = await session.post('/v1/api-keys', { name: 'writers', role: 'admin' });
  return stranger.as((key.body as { key: string }).key);
}

async function writeEvents(client: JournalingClient, name: string, over: AbortSignal): Promise<void> {
  await client.post('/v1/customers', { id: name, name }, name);
  for (let request = 1; !over.aborted; request++)
    await client.post(
      '/v1/events',
      Array.from({ length: EVENTS_A_REQUEST }, (_, index) => ({
        customerId: name,
        eventName: 'call',
        idempotencyKey: `${name}/${request}/${index}`,
        properties: { note: NOTE },
      })),
    );
}

async function writeCustomers(client: JournalingClient, over: AbortSignal): Promise<void> {
  for (let number = 1; !over.aborted; number++) {
    const id = `customer-${number}`;
    await client.post('/v1/customers', { id, name: id }, id);
  }
}

/** The keys of events and the ids of customers that were acknowledged. */
function acknowledged(entries: Awaited<ReturnType<typeof readJournal>>): Stored {
  const sent = (path: string) =>
    entries.filter((entry) => entry.path === path && entry.answers[0]!.status < 300);
  return {
    events: sent('/v1/events')
      .flatMap(({ body }) =>
        (body as { idempotencyKey: string }[]).map(({ idempotencyKey }) => idempotencyKey),
      )
      .toSorted(),
    customers: sent('/v1/customers')
      .map(({ body }) => (body as { id: string }).id)
      .toSorted(),
  };
}

interface Stored {
  events: string[];
  customers: string[];
}

async function stored(dataDir: string): Promise<Stored> {
  const client = await connect(dataDir);
  const events = await client.query<{ key: string }>('SELECT idempotency_key AS key FROM usage.log');
  const customers = await client.query<{ id: string }>('SELECT id FROM read.customers');
  await client.end();
  return {
    events: events.rows.map(({ key }) => key).toSorted(),
    customers: customers.rows.map(({ id }) => id).toSorted(),
  };
}

/** A connection to the database of the instance, as an operator's. */
async function connect(dataDir: string): Promise<pg.Client> {
  const read = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(dataDir, name), 'utf8'));
  const { postgresPassword } = (await read('secrets.json')) as { postgresPassword: string };
  const { postgres } = (await read('ports.json')) as { postgres: number };
  const client = new pg.Client(postgresUrl({ port: postgres, password: postgresPassword }));
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
