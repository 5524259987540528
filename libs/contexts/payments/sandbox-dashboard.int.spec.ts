import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { SandboxDashboard } from './sandbox-dashboard.js';
import { SandboxGateway } from './sandbox-gateway.js';

let database: TestDatabase;
let pool: Pool;
let dashboard: SandboxDashboard;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database, 10);
  dashboard = new SandboxDashboard(pool);
  await new SandboxGateway(pool).charge({
    key: 'pay_1',
    workspaceId: 'acc_1',
    invoiceId: 'inv_1',
    attempt: 1,
    amount: '20.00',
    currency: 'USD',
    method: { type: 'test', test: 'pm_card_visa' },
  });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('the dashboard of the simulated processor', () => {
  const request = { id: 're_1', workspaceId: 'acc_1', invoiceId: 'inv_1', amount: undefined };

  it('refunds once for ten identical requests at once', async () => {
    const notices = await Promise.all(Array.from({ length: 10 }, () => dashboard.refund(request)));
    for (const notice of notices) expect(notice.refunds).toEqual([{ refundId: 're_1', amount: '20' }]);
  });

  it('knows no charge and no dispute of another workspace', async () => {
    const other = { ...request, id: 're_2', workspaceId: 'acc_2' };
    await expect(dashboard.refund(other)).rejects.toMatchObject({ code: 'no_payment_left' });
    await expect(dashboard.closeDispute('acc_2', 'dp_1', 'won')).rejects.toMatchObject({
      code: 'dispute_not_found',
    });
  });
});
