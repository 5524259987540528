import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { workspacePerTest } from '../../../test/support/index.js';
import {
  describeLimitsRebuild,
  describeLimitsVerification,
  rebuildLimits,
  verifyUsageLimits,
} from './limits.js';

const { system, workspace, http, get, post, create } = workspacePerTest({ now: '2026-01-01T00:00:00Z' });
const quiet = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
const env = () => ({ DATABASE_URL: system.database.url, EVENTSTORE_URL: system.node.url });
const verify = async () => verifyUsageLimits({ workspace: workspace.workspaceId }, env(), quiet);
const differences = async () => (await verify()).differences.map(({ difference }) => difference);
const rebuild = () => rebuildLimits({ workspace: workspace.workspaceId }, env(), quiet);

/** Runs a statement as the owner of the database. */
async function damage(sql: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: system.database.url });
  await client.connect();
  try {
    const { rows } = await client.query<object>(sql, [workspace.workspaceId]);
    return rows;
  } finally {
    await client.end();
  }
}

/** The ids of the limits that have counters. */
async function countedLimits(): Promise<string[]> {
  const rows = await damage('SELECT limit_id AS id FROM limits.counters WHERE workspace_id = $1');
  return (rows as { id: string }[]).map(({ id }) => id);
}

/** A limit of 100 that is used. */
async function usedLimit() {
  const aggregation = { type: 'sum', property: 'count', groupBy: ['model'] };
  const { id: metricId } = await create('/v1/metrics', { name: 'Calls', eventName: 'calls', aggregation });
  const { id: customerId } = await create('/v1/customers', { name: 'Northwind' });
  const limit = { metricId, limit: 100, per: 'day', action: 'block', warnAt: [0.5] };
  const { id: limitId } = await create('/v1/usage-limits', limit);
  const use = (count: number, model = 'a') =>
    post('/v1/events', { customerId, eventName: 'calls', properties: { count, model } });
  const used = async (): Promise<number> =>
    (await get(`/v1/customers/${customerId}/usage-limits`)).data[0].used;
  await use(3);
  await use(4, 'b');
  return { metricId, customerId, limitId, use, used };
}

describe('countinghouse limits', () => {
  it('verify finds each damaged part, and rebuild mends it', async () => {
    const { limitId, customerId, use, used } = await usedLimit();
    expect(describeLimitsVerification(await verify())).toMatch(
      /^1 limit and 1 counter compared in \d+ s: nothing differs\n$/,
    );
    await damage('UPDATE limits.counters SET used = used - 1 WHERE workspace_id = $1');
    expect(describeLimitsVerification(await verify())).toMatch(
      new RegExp(
        `^${limitId} of ${customerId} in ${workspace.workspaceId}: ` +
          'from 2026-01-01T00:00:00.000Z: 6 are used, and the usage log has 7\n1 limit and 1 counter compared in \\d+ s: 1 difference\n$',
      ),
    );
    expect(describeLimitsRebuild(await rebuild())).toMatch(
      /^1 limit put in force, and 1 counter marked, in \d+ s/,
    );
    expect(await differences()).toEqual([]);
    await use(5);
    expect(await used()).toBe(12);
    expect(await differences()).toEqual([]);

    await damage(`UPDATE limits.rules SET rule = jsonb_set(rule, '{limit}', '"5"') WHERE workspace_id = $1`);
    expect(await differences()).toEqual(['the limit in force differs from its stream']);
    await rebuild();
    await damage('DELETE FROM limits.rules WHERE workspace_id = $1');
    expect(await differences()).toEqual(['the limit in force differs from its stream']);
    await rebuild();
    expect(await differences()).toEqual([]);
    expect((await use(89)).rejected).toMatchObject([{ code: 'usage_limit_reached' }]);
    expect((await use(88)).accepted).toHaveLength(1);
    expect(await used()).toBe(100);
  });

  it('verify finds distinct values that are missing, and rebuild notes them again', async () => {
    const aggregation = { type: 'count_distinct', property: 'user' };
    const { id: metricId } = await create('/v1/metrics', { name: 'Users', eventName: 'seen', aggregation });
    const { id: customerId } = await create('/v1/customers', { name: 'Northwind' });
    await create('/v1/usage-limits', { metricId, limit: 2, per: 'month', action: 'block' });
    const see = (user: string) => post('/v1/events', { customerId, eventName: 'seen', properties: { user } });
    await see('a');
    await see('b');
    expect(await differences()).toEqual([]);
    await damage(
      "DELETE FROM limits.distinct_values WHERE workspace_id = $1 AND value = substring(sha256('a') FOR 16)",
    );
    expect(await differences()).toEqual([
      'from 2026-01-01T00:00:00.000Z: 2 are used, and the usage log has 2, and 1 values are stored',
    ]);
    await rebuild();
    expect((await see('a')).accepted).toHaveLength(1);
    expect((await see('c')).rejected).toHaveLength(1);
    expect(await differences()).toEqual([]);
  });

  it.each([
    ['another limit is left', true],
    ['no limit is left', false],
  ])('rebuild removes the counters of a deleted limit if %s', async (_, isAnotherLeft) => {
    const { metricId, limitId, use } = await usedLimit();
    if (isAnotherLeft)
      await create('/v1/usage-limits', { metricId, limit: 9, per: 'month', action: 'block' });
    await use(1);
    await http.delete(`/v1/usage-limits/${limitId}`).expect(204);
    expect(await countedLimits()).toContain(limitId);
    await rebuild();
    expect(await countedLimits()).not.toContain(limitId);
  });

  it('rebuild and verify run while usage arrives', async () => {
    const { use, used } = await usedLimit();
    let isDone = false;
    const traffic = (async () => {
      let accepted = 7;
      while (!isDone) {
        const answers = await Promise.all([use(1), use(1, 'b'), use(1)]);
        accepted += answers.flatMap((answer) => answer.accepted).length;
      }
      return accepted;
    })();
    try {
      for (let i = 0; i < 5; i++) {
        await rebuild();
        expect(await differences()).toEqual([]);
      }
    } finally {
      isDone = true;
    }
    const accepted = await traffic;
    expect(await used()).toBe(accepted);
    expect(await differences()).toEqual([]);
  });

  it('refuses a workspace without limits', async () => {
    for (const command of [verifyUsageLimits, rebuildLimits])
      await expect(command({ workspace: 'acc_none' }, env(), quiet)).rejects.toThrow(
        'The workspace "acc_none" has no usage limits; check --workspace',
      );
  });
});
