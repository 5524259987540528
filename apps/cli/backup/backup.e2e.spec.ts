import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { findFreePort, postgresUrl } from '#apps/cli';
import { billAMonth } from '../../../test/support/billed-month.js';
import { countinghouse, endCommands, type CommandRun } from '../../../test/support/command.js';
import { allGone, descendantsOf } from '../../../test/support/processes.js';
import {
  advanceClock,
  clientOf,
  describeOfNode,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';
import { Receiver } from '../../../test/support/receiver.js';
import { createDatabase } from '../../../test/support/database.js';
import { DataFolder } from '../start/data-folder.js';
import { restoreAndVerify } from './restore.js';

/* One story: an instance is backed up while it is written to. It is restored elsewhere, and goes on there. */

let folder: string;
let system: System;
let workspace: TestWorkspace;
let receiver: Receiver;
let file: string;
let restored: { readonly dataDir: string; readonly port: number };
/** The answer to `usageWithKey`, before the backup. */
let firstUse: unknown;

/** The customers whose creation was answered before the backup began, and while it was made. */
const [before, meanwhile]: [string[], string[]] = [[], []];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-story-'));
  restored = { dataDir: join(folder, 'restored'), port: await findFreePort() };
  system = await startSystem();
  const dataDir = join(folder, 'first');
  await keepSecrets(dataDir);
  receiver = await Receiver.start();
  workspace = await system.workspace();
  await prepareInstance();
  file = await backUpWhileWriting(dataDir);
});
afterAll(async () => {
  await endCommands();
  await receiver?.close();
  await system?.stop();
  await rm(folder, { recursive: true, force: true });
});

describeOfNode('a backup that was made while the instance was written to', () => {
  it('is complete', async () => {
    const run = countinghouse(['backup', '--verify', file], {});
    expect([await run.ended, run.output.text]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^${file} is complete: .*, .* rows of \\d+ tables\nMade by Countinghouse .* as of 20.*Z\n$`,
        ),
      ),
    ]);
  });

  it('whose restore was killed leaves a folder in which no instance starts', async () => {
    const run = countinghouse(['restore', file], inRestored());
    // This polls, because nothing else reports that the restore has begun.
    while (
      !(await access(join(restored.dataDir, 'unfinished-restore')).then(
        () => true,
        () => false,
      ))
    )
      await pause(10);
    const processes = await descendantsOf(run.child.pid!);
    for (const { pid, commandLine } of processes)
      if (/programs\/cli\.js restore/.test(commandLine)) process.kill(pid, 'SIGKILL');
    await run.ended;
    await allGone(processes);
    const start = countinghouse(['start', '--no-demo'], inRestored());
    expect([await start.ended, start.output.text]).toEqual([
      1,
      `Starting Countinghouse …\nThe restore of ${file} into ${restored.dataDir} was not finished; run "countinghouse restore ${file}" ` +
        'again, which starts from the beginning, or remove the folder\n',
    ]);
  });

  it('is restored by the same command, and its ledger matches the events', async () => {
    const run = countinghouse(['restore', file], inRestored());
    expect([await run.ended, run.output.text]).toEqual([
      0,
      expect.stringMatching(
        /rows restored into [\s\S]*Making the read models[\s\S]*Everything agrees with the events\n$/,
      ),
    ]);
  });
});

describeOfNode('a restore that is interrupted after all rows were restored', () => {
  it.each(['a database', 'a data folder'])('is continued by the same command in %s', async (target) => {
    const dataDir = join(folder, `continued in ${target}`);
    const database = target === 'a database' ? await createDatabase() : undefined;
    const env = { DATA_DIR: dataDir, ...(database && { DATABASE_URL: database.url }) };
    const said: string[] = [];
    const output = (interruptedAt?: string) => ({
      isTTY: false,
      write: (text: string) => {
        if (text === interruptedAt) throw new Error('interrupted');
        said.push(text);
      },
    });
    const restore = (to: ReturnType<typeof output>) =>
      restoreAndVerify(file, env, to as unknown as NodeJS.WriteStream);
    try {
      await expect(restore(output('Making the read models\n'))).rejects.toThrow('interrupted');
      expect(said.join('')).toMatch(/\d rows restored into /);
      said.length = 0;
      expect(await restore(output())).toBe(true);
      expect(said.join('')).not.toMatch(/\d rows restored into /);
      expect(said).toContain('The rows are restored already. The restore goes on after them\n');
      // Once it has come to its end, the target is an instance like any other.
      await expect(restore(output())).rejects.toThrow(/^The (database|data folder) \S+.* is not empty/);
    } finally {
      await database?.drop();
    }
  });
});

describeOfNode('the instance that was restored', () => {
  let running: CommandRun;
  let http: Client;

  beforeAll(async () => {
    running = countinghouse(['start', '--no-demo'], inRestored());
    await running.prints('Stop with Ctrl-C');
    http = clientOf(`http://127.0.0.1:${restored.port}`, { 'x-api-key': workspace.apiKey });
  });

  it('has every request that was answered before the backup, and no later request of a writer without the earlier ones', async () => {
    const ids = (await restoredQuery<{ id: string }>(`SELECT id FROM read.customers WHERE id LIKE 'w%'`)).map(
      ({ id }) => id,
    );
    expect(before.filter((id) => !ids.includes(id))).toEqual([]);
    for (const id of ids) {
      const [writer, n] = id.slice(1).split('-').map(Number);
      if (n! > 0) expect(ids).toContain(`w${writer}-${n! - 1}`);
    }
    await http.get(`/v1/customers/${before[0]}`).expect(200);
  });

  it('has the sessions, and the answers to idempotent requests', async () => {
    const session = clientOf(`http://127.0.0.1:${restored.port}`, {
      authorization: `Bearer ${workspace.accessToken}`,
    });
    const { body } = await session.get('/v1/users/me').expect(200);
    expect(body).toMatchObject({ accountId: workspace.workspaceId });
    const again = await createOnce(http).expect(201);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('counts no usage twice, and bills the next month as the first instance does, each once', async () => {
    const { body } = await http.post('/v1/events', usageWithKey).expect(200);
    expect(body).toEqual(firstUse);
    receiver.answer = (_, response) => response.end('ok');
    await advanceClock({ http }, '2026-03-01T00:00:00.000Z');
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    const numbers: string[] = [];
    for (const id of ['north', 'south']) {
      const here = await invoicesOf(http, id);
      expect(here).toHaveLength(3);
      // Two customers can be billed in any order at the same instant.
      const amounts = (list: typeof here) => list.map(({ total, status }) => ({ total, status }));
      expect(amounts(here)).toEqual(amounts(await invoicesOf(workspace.http, id)));
      numbers.push(...here.map(({ number }) => number));
    }
    expect((await invoicesOf(http, 'north')).at(-1)).toMatchObject({ total: 25, status: 'paid' });
    expect(new Set(numbers).size).toBe(6);
    expect(
      await restoredQuery('SELECT invoice_id FROM payments.sandbox_charges GROUP BY 1 HAVING count(*) > 1'),
    ).toEqual([]);
    expect(await restoredQuery(`SELECT id FROM saga.tasks WHERE status = 'failed'`)).toEqual([]);
  });

  it('still has a ledger and read models that match the events', async () => {
    for (const args of [
      ['ledger', 'verify'],
      ['projections', 'verify', '--all'],
    ]) {
      const run = countinghouse(args, inRestored());
      expect([await run.ended, run.output.text]).toEqual([
        0,
        expect.stringMatching(/(Everything agrees with the events|nothing differs)\n$/),
      ]);
    }
  });

  it('can be backed up when it does not run', async () => {
    running.child.kill('SIGTERM');
    await running.ended;
    const run = countinghouse(['backup', folder], inRestored());
    expect([await run.ended, run.output.text]).toEqual([
      0,
      expect.stringMatching(/countinghouse-20\d{6}T\d{6}Z\.tar\n/),
    ]);
  });
});

/** Bills a month. Then sends requests that are repeated after the restore. One webhook is not delivered yet. */
async function prepareInstance(): Promise<void> {
  const { http } = workspace;
  await workspace.session.post('/v1/webhooks', { url: receiver.url }).expect(201);
  await billAMonth(workspace);
  firstUse = (await http.post('/v1/events', usageWithKey).expect(200)).body;
  await createOnce(http).expect(201);
  receiver.answer = (_, response) => response.writeHead(500).end();
}

const usageWithKey = {
  customerId: 'north',
  eventName: 'call',
  timestamp: '2026-02-01T00:00:00.000Z',
  idempotencyKey: 'only-once',
  properties: { n: 3 },
};

function createOnce(http: Client) {
  return http.post('/v1/customers', { name: 'Of one request' }).set('Idempotency-Key', 'of-one-request');
}

/** Makes a backup while four writers create customers. The writers begin before the command and go on until it ends. */
async function backUpWhileWriting(dataDir: string): Promise<string> {
  const path = join(folder, 'one.tar');
  let answered = before;
  let isOver = false;
  const enough = Promise.withResolvers<void>();
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const id = `w${writer}-${n}`;
      await workspace.http.post('/v1/customers', { id, name: id }).expect(201);
      answered.push(id);
      if (before.length >= 20) enough.resolve();
    }
  };
  const writers = [0, 1, 2, 3].map(write);
  await enough.promise;
  answered = meanwhile;
  const { url } = system.database;
  const settings = { DATABASE_URL: url, EVENTSTORE_URL: system.node.url, DATA_DIR: dataDir };
  const run = countinghouse(['backup', path], settings);
  const code = await run.ended;
  isOver = true;
  await Promise.all(writers);
  expect([code, run.output.text]).toEqual([
    0,
    expect.stringContaining('It has the event log up to position'),
  ]);
  expect(run.output.text).toContain('It has the JWT_SECRET of DATA_DIR');
  expect(meanwhile.length).toBeGreaterThan(8);
  return path;
}

async function invoicesOf(http: Client, customerId: string) {
  const { body } = await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
  return (body as { data: { number: string; total: number; status: string }[] }).data
    .map(({ number, total, status }) => ({ number, total, status }))
    .toSorted((a, b) => (a.number < b.number ? -1 : 1));
}

async function restoredQuery<T>(sql: string): Promise<T[]> {
  const { postgresPassword: password } = await DataFolder.secretsOf(restored.dataDir);
  const { default: ports } = (await import(`file://${restored.dataDir}/ports.json`, {
    with: { type: 'json' },
  })) as { default: { postgres: number } };
  const client = new pg.Client(postgresUrl({ port: ports.postgres, password: password! }));
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

/** The settings of the instance that is restored. */
function inRestored() {
  return { DATA_DIR: restored.dataDir, PORT: String(restored.port) };
}

/** Stores the secret of the system in a data folder, as `npm start` does. */
async function keepSecrets(dataDir: string): Promise<void> {
  const dataFolder = await DataFolder.acquire(dataDir);
  await dataFolder.getOrCreateSecrets({ jwtSecret: system.settings.jwtSecret! });
  await dataFolder.release();
}
