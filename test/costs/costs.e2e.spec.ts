import { beforeAll, describe, expect, it } from '@jest/globals';
import { judge } from './judge.js';
import { executions } from './measure.js';
import type { Execution } from './plans.js';

/*
 * Every statement that the product sends while all of it is used, on tables that are large enough for an index to be worth it.
 * `npm run bench -- --only costs` does the same with ten times as much, and shows how long each takes.
 */

let executed: Execution[];
// It uses the whole product and then executes several hundred statements again: beside other tests that takes minutes.
beforeAll(async () => {
  executed = await executions({ things: 5_000, tasks: 50_000, auditEntries: 20_000 });
}, 480_000);

describe('the statements of the product', () => {
  it('look at no more rows the more there are', () => {
    expect(judge(executed).faults).toEqual([]);
  });

  it('are seen where they look at the most, so that no exception is for nothing', () => {
    expect(judge(executed).unneeded).toEqual([]);
  });

  it('are those of every list, timer and upkeep, and can be executed once more, but for what may be stored only once, or under the limits of its time', () => {
    const tables = new Set(executed.flatMap(({ scans }) => scans.map(({ table }) => table)));
    expect([...tables]).toEqual(
      expect.arrayContaining([
        ...['customers', 'subscriptions', 'invoices', 'audit', 'ledger_postings', 'billed_invoices'].map(
          (table) => `read.${table}`,
        ),
        'saga.tasks',
        'webhooks.deliveries',
        'idempotency.answers',
        'eventstore.events',
        'vault.keys',
      ]),
    );
    const refused = executed.filter(({ obstacle }) => obstacle !== undefined);
    expect(
      refused.filter(
        ({ obstacle }) =>
          !/violates (unique|foreign key) constraint|what gates want has changed/.test(obstacle!),
      ),
    ).toEqual([]);
    expect(executed.length).toBeGreaterThan(300);
  });
});
