import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { createMigratedDatabase, type TestDatabase, createPool } from '../../../test/support/index.js';
import type { ChargeRequest } from './payment-gateway.js';
import { SandboxGateway } from './sandbox-gateway.js';

const request: ChargeRequest = {
  key: 'pay_1',
  workspaceId: 'acc_1',
  invoiceId: 'inv_1',
  attempt: 1,
  amount: '20.00',
  currency: 'USD',
  method: { type: 'test', test: 'pm_card_visa' },
};

describe('the sandbox gateway', () => {
  let database: TestDatabase;
  let pool: Pool;
  let gateway: SandboxGateway;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = createPool(database, 10);
    gateway = new SandboxGateway(pool);
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('charges a key once, also for twenty simultaneous calls', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => gateway.charge(request)));
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => ({ status: 'succeeded' })));
    const { rows } = await pool.query('SELECT amount, status FROM payments.sandbox_charges WHERE key = $1', [
      'pay_1',
    ]);
    expect(rows).toEqual([{ amount: '20.00', status: 'succeeded' }]);
  });

  it('returns the first outcome again, even if the method has changed', async () => {
    const declined = {
      ...request,
      key: 'pay_2',
      method: { type: 'test', test: 'pm_card_chargeDeclined' },
    } as const;
    const first = await gateway.charge(declined);
    expect(first).toEqual({ status: 'failed', code: 'card_declined', message: 'The card was declined.' });
    expect(await gateway.charge({ ...request, key: 'pay_2' })).toEqual(first);
  });

  it.each([
    ['0.49', 'amount_too_small'],
    ['1000000.00', 'amount_too_large'],
  ])('does not charge %s USD, because the processor cannot (%s)', async (amount, code) => {
    const key = `pay_${code}`;
    expect(await gateway.charge({ ...request, key, amount })).toMatchObject({ status: 'failed', code });
    expect(await gateway.readOutcome(key)).toMatchObject({ status: 'failed', code });
  });

  it('refuses a key with a different amount', async () => {
    await gateway.charge({ ...request, key: 'pay_3' });
    await expect(gateway.charge({ ...request, key: 'pay_3', amount: '21.00' })).rejects.toThrow('pay_3');
  });

  it('completes a charge that needed action, after its confirmation', async () => {
    const needy = {
      ...request,
      key: 'pay_4',
      method: { type: 'test', test: 'pm_card_authenticationRequired' },
    } as const;
    expect(await gateway.charge(needy)).toMatchObject({ status: 'requires_action' });
    expect(await gateway.completeConfirmation('pay_4')).toEqual({ status: 'succeeded' });
    expect(await gateway.completeConfirmation('pay_4')).toEqual({ status: 'succeeded' });
    expect(await gateway.charge(needy)).toEqual({ status: 'succeeded' });
  });

  it('cancels a charge that waits for a confirmation, and no other charge', async () => {
    const method = { type: 'test', test: 'pm_card_authenticationRequired' } as const;
    await gateway.charge({ ...request, key: 'pay_waiting', method });
    for (const key of ['pay_waiting', 'pay_waiting', 'pay_1']) await gateway.cancelWaitingCharge(key);
    expect(await gateway.completeConfirmation('pay_waiting')).toMatchObject({ status: 'failed' });
    expect(await gateway.readOutcome('pay_1')).toEqual({ status: 'succeeded' });
  });

  it('refunds a key once, and at most the charge, also for ten simultaneous calls', async () => {
    await gateway.charge({ ...request, key: 'pay_5' });
    const refund = { chargeKey: 'pay_5', workspaceId: 'acc_1', amount: '7.00', currency: 'USD' };
    const same = Array.from({ length: 5 }, () => gateway.refund({ ...refund, key: 'cn_1' }));
    const others = Array.from({ length: 5 }, (_, i) => gateway.refund({ ...refund, key: `cn_other_${i}` }));
    const outcomes = await Promise.allSettled([...same, ...others]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(2);
    const { rows } = await pool.query<{ sum: string; count: string }>(
      "SELECT sum(amount), count(*) FROM payments.sandbox_refunds WHERE charge_key = 'pay_5'",
    );
    expect(rows).toEqual([{ sum: '14.00', count: '2' }]);
  });

  it('refuses to refund a charge that is unknown, failed, or of another workspace', async () => {
    const refund = { key: 'cn_2', workspaceId: 'acc_1', amount: '1.00', currency: 'USD' };
    for (const [chargeKey, workspaceId] of [
      ['pay_none', 'acc_1'],
      ['pay_2', 'acc_1'],
      ['pay_1', 'acc_2'],
    ] as const)
      await expect(gateway.refund({ ...refund, chargeKey, workspaceId })).rejects.toThrow(chargeKey);
  });

  it('does not confirm a declined charge', async () => {
    expect(await gateway.completeConfirmation('pay_2')).toMatchObject({ status: 'failed' });
  });
});
