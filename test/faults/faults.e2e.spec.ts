import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProcessExit } from '#apps/cli';
import { Receiver } from '../support/receiver.js';
import { PLANTABLE } from './checks/controls.ts';
import { DISK_MEGABYTES, onDisk } from './faults/full-disk.ts';
import { oneOfEverything } from './faults/index.ts';
import { KINDS } from './fleet/fleet.ts';
import type { Member } from './fleet/member.ts';
import { Link } from './fleet/link.ts';
import { SmallDisk } from '../support/small-disk.ts';
import { isEmbedded } from '../support/store-process.ts';
import { Random } from './load/random.ts';
import { signUp } from './load/workspace.ts';
import { playRound, type Report } from './round.ts';
import { World } from './world.ts';

/*
 * Two processes of each kind on one store, with a link between each two that talk, and the database on a small disk. What
 * `npm run faults` does for minutes is done here once, with the same parts.
 */
const MINUTES = 60_000;
const SEED = 'npm test';

let folder: string;
let disk: SmallDisk | undefined;
let world: World;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faults-'));
  disk = await SmallDisk.mount(join(folder, 'disk'), DISK_MEGABYTES, (reason) =>
    process.stderr.write(`\nSKIPPED: a full disk, since ${reason}\n`),
  );
  world = await World.begin({ folder, copies: 2, ...(disk ? onDisk(disk) : {}) }, new Random(SEED));
}, 6 * MINUTES);
afterAll(async () => {
  await world?.end();
  await disk?.unmount();
  await rm(folder, { recursive: true, force: true });
});

/** The main flow from the outside, each connection with the next of these APIs. */
async function mainFlow(apis: readonly string[]): Promise<void> {
  const ports = apis.map((name) => Number(world.fleet.member(name).program.env!['PORT']));
  const link = await Link.between('main flow → api', ...ports);
  const script = join(import.meta.dirname, '../outside/main-flow.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, `http://127.0.0.1:${link.port}`]);
  expect(stdout).toMatch(/The main flow holds\.\n$/);
  await link.close();
}

describe('two of each side by side', () => {
  it('hold the main flow together', () => mainFlow(['api-1', 'api-2']), 6 * MINUTES);

  it(
    'share one of everything that can go wrong, and lose nothing, and do nothing twice',
    async () => {
      const report: Report = await playRound(world, 'short', oneOfEverything(disk), new Random(SEED), {
        workspaces: 1,
        extent: { newcomers: [1, 2], usage: [2, 4], repeated: 0.2 },
        controls: PLANTABLE,
      });
      expect(report.findings).toEqual([]);
      expect(report.controls.filter(({ found }) => !found)).toEqual([]);
      expect(report.controls).toHaveLength(PLANTABLE.length);
      expect([report.retries > 0, report.replayed > 0]).toEqual([true, true]);
      if (disk) expect(report.putOff.get('storage_full')).toBeGreaterThan(0);
    },
    16 * MINUTES,
  );
});

describe('on SIGTERM', () => {
  const inFlight = async (): Promise<number> => {
    const { rows } = await world.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE locktype = 'advisory' AND granted AND application_name = 'countinghouse idempotency'`,
    );
    return rows[0]!.count;
  };

  /** Ends an API while it has requests in hand, and answers how many of them had to be sent again. */
  const repeatedAfter = async (how: string, end: (api: Member) => Promise<unknown>): Promise<number> => {
    const { fleet, traffic } = world;
    const { client } = await signUp(how, world.stranger(how));
    const store = fleet.link(isEmbedded ? 'eventstore → postgres' : 'api-1 → eventstore');
    const retries = traffic.retries;
    const toApi = client.only(fleet.link('client → api-1').port);
    store.hold();
    const names = Array.from({ length: 6 }, (_, index) => `in-flight-${index}`);
    const sent = names.map((id) => toApi.post('/v1/customers', { id, name: id }, id));
    // Each holds the lock of its key while it waits for the event store.
    while ((await inFlight()) < names.length) await pause(20);
    await end(fleet.member('api-1'));
    store.heal();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(names.map(() => 201));
    return traffic.retries - retries;
  };

  it(
    'the API answers the requests in flight, which one that is killed does not',
    async () => {
      expect(await repeatedAfter('killed', (api) => api.kill())).toBeGreaterThan(0);
      await world.fleet.ready();
      let stopped: Promise<ProcessExit | undefined> | undefined;
      const repeated = await repeatedAfter('asked', (api) => {
        stopped = api.stop();
        return api.says('shutting down');
      });
      expect([await stopped, repeated]).toEqual([{ code: 0, signal: null }, 0]);
      await world.fleet.member('api-1').start();
    },
    6 * MINUTES,
  );

  it(
    'the sagas finish the deliveries in hand',
    async () => {
      const { fleet } = world;
      const { session } = await signUp('handed', world.stranger('handed'));
      const receiver = await Receiver.start();
      const asked = Promise.withResolvers<ServerResponse>();
      receiver.answer = (_, response) => asked.resolve(response);
      const { body } = await session.post('/v1/webhooks', { url: receiver.url, events: ['*'] }, 'hook');
      const { id } = body as { id: string };
      const tested = session.post(`/v1/webhooks/${id}/test`, {}, 'test');
      const response = await asked.promise;
      const sagas = fleet.membersOf('saga');
      const told = Promise.all(sagas.map((saga) => saga.says('shutting down')));
      const stopped = Promise.all(sagas.map((saga) => saga.stop()));
      await told;
      response.end('ok');
      expect(await stopped).toEqual(sagas.map(() => ({ code: 0, signal: null })));
      expect(await tested).toMatchObject({
        status: 200,
        body: { status: 'delivered', attempts: [{ statusCode: 200 }] },
      });
      await receiver.close();
      await Promise.all(sagas.map((saga) => saga.start()));
    },
    6 * MINUTES,
  );
});

describe('one of each killed for good', () => {
  it(
    'leaves the rest working',
    async () => {
      const { fleet } = world;
      await fleet.ready();
      const atWork = [await fleet.atWork('projector'), await fleet.atWork('saga')];
      for (const member of [fleet.member('api-1'), ...atWork]) await member.killForGood();
      await mainFlow(['api-2']);
      expect(
        KINDS.map((kind) => fleet.membersOf(kind).filter(({ pid }) => pid !== undefined).length),
      ).toEqual([1, 1, 1]);
    },
    6 * MINUTES,
  );
});
