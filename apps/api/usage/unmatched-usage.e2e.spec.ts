import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { createApiApp } from '#apps/api';
import { createSagaApp } from '#apps/saga';
import {
  clientOf,
  createPool,
  startSystem,
  withSecondApi,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';
import { Receiver } from '../../../test/support/receiver.js';

let system: System;
let pool: pg.Pool;
let workspace: TestWorkspace;
let http: Client;

beforeAll(async () => {
  system = await startSystem();
  pool = createPool(system.database, 2);
});
afterAll(async () => {
  await pool?.end();
  await system?.stop();
});
beforeEach(async () => {
  workspace = await system.workspace();
  http = workspace.http;
  await http.post('/v1/customers', { id: 'cust_a', name: 'A' }).expect(201);
});

const event = (eventName: string, properties: object = {}): object => ({
  customerId: 'cust_a',
  eventName,
  properties,
});
const metric = async (eventName: string, aggregation: object, sql?: string): Promise<string> => {
  const body = { name: eventName, aggregation, ...(sql === undefined ? {} : { sql }) };
  return (await http.post('/v1/metrics', body).expect(201)).body.id as string;
};
/** Sends usage. The warnings about unpriced usage are left out, because the customer has no subscription. */
const send = async (body: object): Promise<{ accepted: string[]; warnings: Record<string, unknown>[] }> => {
  const { accepted, warnings } = (await http.post('/v1/events', body).expect(200)).body;
  return {
    accepted,
    warnings: warnings.filter(({ code }: { code: string }) => code !== 'unpriced'),
  };
};
/** The ids of the events that are listed. */
const listed = async (query: string): Promise<string[]> =>
  (await http.get(`/v1/events?${query}`).expect(200)).body.data.map(({ id }: { id: string }) => id);

describe('usage that is not counted', () => {
  it('is stored, with a warning for each event name and reason', async () => {
    const sum = await metric('call', { type: 'sum', property: 'tokens' });
    await metric('call', { type: 'count', filter: { region: 'eu' } });
    const { accepted, warnings } = await send([
      event('cal'),
      event('call', { region: 'eu' }),
      event('call', { tokens: 'many' }),
      event('call', { tokens: 5 }),
      event('cal'),
    ]);
    expect(accepted).toHaveLength(5);
    expect(warnings).toEqual([
      {
        code: 'no_metric',
        reason:
          'No metric has the event name "cal"; a metric that has it counts these events too, whenever it is made',
        eventName: 'cal',
        count: 2,
        eventIds: [accepted[0], accepted[4]],
      },
      {
        code: 'property_missing',
        reason: `Metric ${sum} skips these events of the name "call", since they have no property "tokens"`,
        eventName: 'call',
        metricId: sum,
        property: 'tokens',
        count: 1,
        eventIds: [accepted[1]],
      },
      {
        code: 'property_not_numeric',
        reason: `Metric ${sum} skips these events of the name "call", since their property "tokens" is not a number`,
        eventName: 'call',
        metricId: sum,
        property: 'tokens',
        count: 1,
        eventIds: [accepted[2]],
      },
    ]);
  });

  it('has a warning if the filters of all metrics leave it out, and none if one metric counts it', async () => {
    await metric('call', { type: 'count', filter: { region: 'eu' } });
    await metric('call', { type: 'sql', filter: { region: 'us' } }, 'count(*)');
    const { accepted, warnings } = await send(
      ['eu', 'us', 'asia'].map((region) => event('call', { region })),
    );
    expect(warnings).toEqual([
      {
        code: 'filtered_out',
        reason: 'The filters of all metrics with the event name "call" leave these events out',
        eventName: 'call',
        count: 1,
        eventIds: [accepted[2]],
      },
    ]);
  });

  it('is told of by the metrics as they are now, also after a change by another process', async () => {
    expect((await send(event('call'))).warnings).toHaveLength(1);
    const id = await metric('call', { type: 'count' });
    expect((await send(event('call'))).warnings).toEqual([]);
    await http.patch(`/v1/metrics/${id}`, { eventName: 'other' }).expect(200);
    expect((await send([event('call'), event('other')])).warnings).toMatchObject([{ eventName: 'call' }]);

    await withSecondApi(system, workspace, async (other) => {
      await other.delete(`/v1/metrics/${id}`).expect(204);
      await eventually(async () => (await send(event('other'))).warnings.length === 1);
    });
  });

  it('is counted in a header, whatever the number of warnings', async () => {
    const events = Array.from({ length: 60 }, (_, i) => event(`name-${i}`));
    const { body, headers } = await http.post('/v1/events', events).expect(200);
    expect(body.warnings).toHaveLength(50);
    expect(headers['usage-events-unmatched']).toBe('60');
  });

  it('is listed by ?unmatched=true, until a metric counts it', async () => {
    await metric('call', { type: 'sum', property: 'tokens', filter: { region: ['eu', 'us'] } });
    await metric('seen', { type: 'count' });
    const { accepted } = await send([
      event('call', { region: 'eu', tokens: 1 }),
      event('call', { region: 'eu' }),
      event('call', { region: 'asia', tokens: 1 }),
      event('call', { region: 'us', tokens: { n: 1 } }),
      event('seen'),
      event('mistyped'),
    ]);
    const [, missing, filtered, object, , unknown] = accepted;
    expect(await listed('unmatched=true')).toEqual([unknown, object, filtered, missing]);
    expect(await listed('unmatched=true&limit=2&offset=1')).toEqual([object, filtered]);
    expect(await listed('unmatched=true&event_name=call')).toEqual([object, filtered, missing]);
    expect(await listed('unmatched=true&customer_id=cust_a&event_name=seen')).toEqual([]);
    expect(await listed('unmatched=true&customer_id=cust_b')).toEqual([]);
    expect(await listed('unmatched=false')).toHaveLength(6);

    await metric('mistyped', { type: 'count' });
    expect(await listed('unmatched=true')).toEqual([object, filtered, missing]);
    const { body } = await http.get('/v1/events?unmatched=yes').expect(400);
    expect(body.details).toEqual([{ field: 'unmatched', message: 'must be true or false' }]);
  });

  it('is told of by a webhook at most once an hour, whichever processes take it in and tell of it', async () => {
    const receiver = await Receiver.start();
    const secondApi = await createApiApp(system.settings);
    await secondApi.listen(0, '127.0.0.1');
    const secondSaga = await createSagaApp(system.settings);
    try {
      const url = (await secondApi.getUrl()).replace('[::1]', '127.0.0.1');
      const second = clientOf(url, { authorization: `Bearer ${workspace.apiKey}` });
      const endpoint = { url: receiver.url, events: ['usage.unmatched'] };
      await workspace.session.post('/v1/webhooks', endpoint).expect(201);
      const { accepted } = await send([event('cal'), event('cal')]);
      await second.post('/v1/events', event('cal')).expect(200);
      const told = JSON.parse((await receiver.arrived(1)).body);
      expect(told).toMatchObject({
        event: 'usage.unmatched',
        data: { warnings: [{ code: 'no_metric', eventName: 'cal', count: told.data.count }] },
      });
      expect(told.data.warnings[0].eventIds).toEqual(expect.arrayContaining(accepted));
      expect(Object.keys(told.data)).toEqual(['count', 'since', 'until', 'warnings']);

      // What comes later waits for its hour.
      await send(event('later'));
      await eventually(async () => (await note()).count === 3 - told.data.count + 1);
      expect((await note()).waits).toBe(true);
      // The stream of reports decides, and not the row, which could be of a restored database.
      await pool.query('UPDATE usage.unmatched SET due_at = now() WHERE workspace_id = $1', [
        workspace.workspaceId,
      ]);
      await eventually(async () => (await note()).waits);
      expect(await note()).toEqual({ count: 3 - told.data.count + 1, waits: true });
      expect(receiver.received).toHaveLength(1);
    } finally {
      await secondSaga.close();
      await secondApi.close();
      await receiver.close();
    }
  });
});

/** Waits until something has come to be so, which nothing tells of. */
async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(100);
}

/** The note of the workspace: how many events it was not told of, and whether it waits for its hour. */
async function note(): Promise<{ count: number; waits: boolean }> {
  const { rows } = await pool.query<{ count: string; waits: boolean }>(
    `SELECT count, due_at > now() + interval '50 minutes' AS waits FROM usage.unmatched WHERE workspace_id = $1`,
    [workspace.workspaceId],
  );
  return { count: Number(rows[0]?.count ?? 0), waits: rows[0]?.waits ?? false };
}
