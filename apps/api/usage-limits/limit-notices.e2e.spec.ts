import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { createApiApp } from '#apps/api';
import { createSagaApp } from '#apps/saga';
import { pruneCounters } from '#libs/contexts/usage-limits';
import {
  advanceClock,
  clientOf,
  createPool,
  settle,
  workspacePerTest,
  type Client,
} from '../../../test/support/index.js';
import { beforeCommand } from '../../../test/support/before-command.js';
import { Receiver } from '../../../test/support/receiver.js';
import { untilWaiting } from '../../../test/support/usage.js';

const { system, workspace, get, post, patch, create } = workspacePerTest({ now: '2026-01-15T12:00:00Z' });

let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start();
  const endpoint = { url: receiver.url, events: ['usage.limit'] };
  await workspace.session.post('/v1/webhooks', endpoint).expect(201);
});
afterEach(async () => receiver.close());

interface Told {
  threshold: number;
  limit: number;
  used: number;
  [field: string]: unknown;
}

/** What was told, in order of the thresholds. */
const told = (): Told[] =>
  receiver.received
    .map(({ body }) => (JSON.parse(body) as { data: Told }).data)
    .sort((a, b) => a.threshold - b.threshold);
const limitedMetric = async (limit: object) => {
  const aggregation = { type: 'sum', property: 'count' };
  const { id: metricId } = await create('/v1/metrics', { name: 'Calls', eventName: 'calls', aggregation });
  const { id: customerId } = await create('/v1/customers', { name: 'Northwind' });
  const terms = { metricId, limit: 10, per: 'day', action: 'block', ...limit };
  const { id: limitId } = await create('/v1/usage-limits', terms);
  const event = (count: number, more: object = {}) => ({
    customerId,
    eventName: 'calls',
    properties: { count },
    ...more,
  });
  return { metricId, customerId, limitId, event };
};

describe('the webhook of a limit', () => {
  it('is sent for each threshold once, with the use at that moment', async () => {
    const { metricId, customerId, limitId, event } = await limitedMetric({ warnAt: [0.5, 0.8] });
    await post('/v1/events', event(4));
    await settle(workspace);
    expect(told()).toEqual([]);
    await post('/v1/events', event(5));
    await receiver.arrived(2);
    const terms = { limitId, customerId, metricId, per: 'day', action: 'block', limit: 10 };
    const window = { windowStart: '2026-01-15T00:00:00.000Z', resetsAt: '2026-01-16T00:00:00.000Z' };
    expect(told()).toEqual([
      { ...terms, ...window, threshold: 0.5, used: 9, reachedAt: '2026-01-15T12:00:01.000Z' },
      { ...terms, ...window, threshold: 0.8, used: 9, reachedAt: '2026-01-15T12:00:01.000Z' },
    ]);
    // The first refusal tells that the limit is reached, although not all of it is used.
    await post('/v1/events', [event(2), event(3)]);
    await receiver.arrived(3);
    expect(told()[2]).toMatchObject({ threshold: 1, used: 9 });
    // What goes down and up again is not told again, nor after a change of the limit.
    await post('/v1/events', [event(-9), event(9)]);
    await patch(`/v1/usage-limits/${limitId}`, { limit: 20 });
    await post('/v1/events', event(11));
    await settle(workspace);
    expect(told()).toHaveLength(3);
    // Another window, and another customer, are told of by themselves.
    await post('/v1/events', event(20, { timestamp: '2026-01-14T10:00:00Z' }));
    const { id: other } = await create('/v1/customers', { name: 'Contoso' });
    await post('/v1/events', { ...event(20), customerId: other });
    await receiver.arrived(9);
    await settle(workspace);
    expect(told()).toHaveLength(9);
  });

  it('is sent if a new limit is reached by usage that is stored already', async () => {
    const { metricId, customerId, event } = await limitedMetric({ limit: 100, action: 'notify' });
    await post('/v1/events', event(12));
    await create('/v1/usage-limits', { metricId, limit: 10, per: 'day', action: 'notify' });
    await post('/v1/usage-limits/check', { customerId, metricId });
    await receiver.arrived(1);
    expect(told()).toMatchObject([{ threshold: 1, limit: 10, used: 12, action: 'notify' }]);
  });

  it('is not sent again for a counter that was removed, and the use stays as it was', async () => {
    const pool = createPool(system.database, 1);
    try {
      const { customerId, limitId, event } = await limitedMetric({ warnAt: [0.5] });
      await post('/v1/events', event(6));
      await receiver.arrived(1);
      const { rowCount } = await pool.query(
        "UPDATE limits.counters SET counted_at = now() - interval '61 days' WHERE limit_id = $1",
        [limitId],
      );
      expect([rowCount, await pruneCounters(pool, 60, 100)]).toEqual([1, 1]);
      expect((await post('/v1/events', [event(1), event(5)])).rejected).toHaveLength(1);
      await receiver.arrived(2);
      await settle(workspace);
      expect(told()).toMatchObject([{ threshold: 0.5 }, { threshold: 1, used: 7 }]);
      const { data } = await get(`/v1/customers/${customerId}/usage-limits`);
      expect(data).toMatchObject([{ used: 7 }]);
    } finally {
      await pool.end();
    }
  });

  it('that cannot be told now is told later, and the clock does not wait for it', async () => {
    const { event } = await limitedMetric({ action: 'notify' });
    let refused = 0;
    for (const app of [system.api, system.saga])
      beforeCommand(app, 'RecordNotifiedThreshold', async () => {
        refused++;
        throw new Error('the notice cannot be told');
      });
    try {
      await post('/v1/events', event(12));
      await advanceClock(workspace, '2026-01-16T12:00:00Z');
      expect(refused).toBeGreaterThan(0);
      expect(told()).toEqual([]);
    } finally {
      jest.restoreAllMocks();
    }
    await receiver.arrived(1);
    expect(told()).toMatchObject([{ threshold: 1, used: 12, reachedAt: '2026-01-15T12:00:00.000Z' }]);
  });

  it('is sent once for a limit that twenty cross at once in two processes', async () => {
    const pool = createPool(system.database, 4);
    const api = await createApiApp(system.settings);
    const saga = await createSagaApp(system.settings);
    try {
      await api.listen(0, '127.0.0.1');
      const url = (await api.getUrl()).replace('[::1]', '127.0.0.1');
      const clients: Client[] = [
        workspace.http,
        clientOf(url, { authorization: `Bearer ${workspace.apiKey}` }),
      ];
      const { limitId, event } = await limitedMetric({ limit: 20, warnAt: [0.8] });
      await post('/v1/events', event(10));
      // The counter is held until both processes wait for it, so that they cross the limit together.
      const holder = await pool.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT FROM limits.counters WHERE limit_id = $1 FOR UPDATE', [limitId]);
      const sending = Array.from({ length: 20 }, async (_, i) =>
        clients[i % 2]!.post('/v1/events', event(1)),
      );
      await untilWaiting(pool, 2);
      await holder.query('COMMIT');
      holder.release();
      const answers = (await Promise.all(sending)).map(({ body }) => body as { accepted: string[] });
      expect(answers.filter(({ accepted }) => accepted.length === 1)).toHaveLength(10);
      await receiver.arrived(2);
      await settle(workspace);
      expect(told()).toMatchObject([
        { threshold: 0.8, used: 16 },
        { threshold: 1, used: 20 },
      ]);
      // A notice that was told before its process stopped is not told again.
      await leaveAgain(pool, limitId);
      await settle(workspace);
      expect(await notices(pool, limitId)).toBe(0);
      expect(told()).toHaveLength(2);
    } finally {
      await saga.close();
      await api.close();
      await pool.end();
    }
  });

  it('is sent although older notices cannot be told', async () => {
    const pool = createPool(system.database, 1);
    try {
      // The name of the stream that tells of them would be too long.
      await pool.query(
        `INSERT INTO limits.notices (workspace_id, limit_id, customer_id, window_start, threshold, notice, noted_at)
         SELECT 'acc_other', 'lim', c, '2026-01-15', t, jsonb_build_object('limitId', 'lim', 'customerId', c, 'metricId', 'met',
           'per', 'day', 'action', 'block', 'threshold', t, 'limit', '20', 'used', '20', 'windowStart', '2026-01-15T00:00:00.000Z',
           'windowEnd', null, 'at', '2026-01-15T12:00:00.000Z'), '2020-01-01'
         FROM repeat('c', 2000) c, (SELECT n::text FROM generate_series(1, 60) n) AS _ (t)`,
      );
      const { event } = await limitedMetric({ limit: 10 });
      await post('/v1/events', event(10));
      await receiver.arrived(1);
      expect(told()).toMatchObject([{ threshold: 1, used: 10 }]);
    } finally {
      await pool.query("DELETE FROM limits.notices WHERE workspace_id = 'acc_other'");
      await pool.end();
    }
  });
});

/** Leaves the notices of a limit again, as a process does that stops after it has told them. */
async function leaveAgain(pool: pg.Pool, limitId: string): Promise<void> {
  await pool.query(
    `INSERT INTO limits.notices (workspace_id, limit_id, customer_id, window_start, threshold, notice)
     SELECT c.workspace_id, c.limit_id, c.customer_id, c.window_start, t, jsonb_build_object(
       'limitId', c.limit_id, 'customerId', c.customer_id, 'metricId', 'met', 'per', 'day', 'action', 'block', 'threshold', t,
       'limit', '20', 'used', '20', 'windowStart', to_char(c.window_start, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'windowEnd', null,
       'at', '2026-01-15T12:00:00.000Z')
     FROM limits.counters c, jsonb_array_elements_text(c.told) t WHERE limit_id = $1`,
    [limitId],
  );
}

async function notices(pool: pg.Pool, limitId: string): Promise<number> {
  const { rows } = await pool.query('SELECT FROM limits.notices WHERE limit_id = $1', [limitId]);
  return rows.length;
}
