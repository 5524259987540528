import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startUsage } from '../../../test/support/usage.js';
import {
  describeMetersRebuild,
  describeMetersVerification,
  rebuildMeters,
  verifyMeters,
} from './rebuild-meters.js';

let world: Awaited<ReturnType<typeof startUsage>>;
let workspaceId: string;
const output = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;

beforeAll(async () => {
  world = await startUsage();
  workspaceId = await world.workspace('2026-03-10T12:00:00.000Z');
  const event = {
    customerId: 'cust_a',
    eventName: 'call',
    timestamp: '2026-03-09T10:30:00Z',
    properties: { n: 5 },
  };
  await world.usage.ingest.ingest(workspaceId, [event, event], 'test');
  const aggregation = { type: 'sum', property: 'n' } as const;
  await world.usage.measure.measure({
    definition: { metricId: 'met_1', version: 1, workspaceId, eventName: 'call', aggregation },
    customerId: 'cust_a',
    start: '2026-03-01T00:00:00.000Z',
    end: '2026-04-01T00:00:00.000Z',
  });
});
afterAll(async () => world?.stop());

const env = (): NodeJS.ProcessEnv => ({ DATABASE_URL: world.database.url });

it('countinghouse usage rebuild-meters shows the differences with --verify, repairs them, and drops the old meters with --drop-old', async () => {
  expect(describeMetersVerification(await verifyMeters({}, env(), output))).toMatch(
    /^1 meter, 1 hour compared in \d+ s: nothing differs\n$/,
  );
  await world.usage.pool.query('UPDATE usage.rollups SET quantity = 11');
  const found = await verifyMeters({ workspace: workspaceId }, env(), output);
  expect(describeMetersVerification(found)).toContain(
    `sum of "call" of ${workspaceId}: cust_a, hour 2026-03-09 10:00:00+00, group []: ` +
      '2 events, 0 skipped, quantity 11, and must be 2 events, 0 skipped, quantity 10\n',
  );
  expect(found.differences).toBe(1);

  const rebuilt = await rebuildMeters({ dropOld: true }, env(), output);
  expect(rebuilt).toMatchObject({ meters: 1, events: 2, dropped: 1 });
  expect(describeMetersRebuild(rebuilt)).toMatch(
    /^1 meter rebuilt from 2 events in \d+ s\n1 old meter dropped\n$/,
  );
  expect((await verifyMeters({}, env(), output)).differences).toBe(0);
});

it('refuses an unknown workspace', async () => {
  const refusal = `There is no workspace "acc_none"; the database has ${workspaceId}`;
  await expect(rebuildMeters({ workspace: 'acc_none' }, env(), output)).rejects.toThrow(refusal);
  await expect(verifyMeters({ workspace: 'acc_none' }, env(), output)).rejects.toThrow(refusal);
});

it('says after a failure that other meters may have been replaced', async () => {
  const { pool, measure } = world.usage;
  const aggregation = { type: 'count' } as const;
  await measure.measure({
    definition: { metricId: 'met_2', version: 1, workspaceId, eventName: 'call', aggregation },
    customerId: 'cust_a',
    start: '2026-03-01T00:00:00.000Z',
    end: '2026-04-01T00:00:00.000Z',
  });
  // When the first meter is replaced, the second has an event left to count, which fails.
  await pool.query(`
    CREATE FUNCTION usage.rewind() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      UPDATE usage.meters SET watermark = watermark - 1 WHERE role = 'next';
      RETURN NULL;
    END $$;
    CREATE FUNCTION usage.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF EXISTS (SELECT FROM usage.meters WHERE role = 'old') THEN RAISE 'not counted'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER rewind AFTER UPDATE ON usage.meters FOR EACH ROW WHEN (NEW.role = 'old') EXECUTE FUNCTION usage.rewind();
    CREATE TRIGGER fail BEFORE UPDATE ON usage.meters FOR EACH ROW WHEN (NEW.watermark > OLD.watermark)
      EXECUTE FUNCTION usage.fail();
  `);
  await expect(rebuildMeters({}, env(), output)).rejects.toThrow(
    /not counted\nEach live meter is unchanged, or was already replaced as a whole\./,
  );
  const { rowCount } = await pool.query(`SELECT FROM usage.meters WHERE role = 'old'`);
  expect(rowCount).toBe(1);
});
