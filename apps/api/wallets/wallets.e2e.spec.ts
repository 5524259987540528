import { describe, expect, it, jest } from '@jest/globals';
import { WalletStore } from '#libs/contexts/credits';
import { Unavailable } from '#libs/kernel/core';
import { SnapshotUpdater } from '#libs/kernel/event-store';
import { Backoff } from '#libs/kernel/system';
import { whileWalletHeld } from '../../../test/support/held-wallet.js';
import { advanceClock, settle, workspacePerTest } from '../../../test/support/index.js';

const { system, workspace, get, post } = workspacePerTest({ now: '2026-01-01T00:00:00Z' });

const TYPE = { type: 'ai-credits', name: 'AI credits', unitPrice: 0.01, currency: 'USD' };

/** Creates the credit type and a customer. Returns the path of the customer's wallet. */
async function walletOfNewCustomer(type: object = {}): Promise<string> {
  await post('/v1/credit-types', { ...TYPE, ...type }, 201);
  const { id } = await post('/v1/customers', { name: 'Northwind' }, 201);
  return `/v1/customers/${id}/wallets/ai-credits`;
}

describe('a wallet', () => {
  it('has the granted credits in burn order, until they expire at their instant', async () => {
    const path = await walletOfNewCustomer();
    expect(await get(path)).toMatchObject({ creditType: 'ai-credits', balance: 0, blocks: [] });
    const lasting = await post(`${path}/grants`, { amount: 100 }, 201);
    expect(lasting).toMatchObject({
      source: 'grant',
      status: 'active',
      amount: 100,
      remaining: 100,
      priority: 10,
      effectiveAt: '2026-01-01T00:00:00.000Z',
      expiresAt: null,
      costBasis: null,
      currency: 'USD',
    });
    const promotion = await post(
      `${path}/grants`,
      { amount: 50.5, source: 'promotional', priority: 0, expiresAt: '2026-01-15T00:00:00Z' },
      201,
    );
    await settle(workspace);
    const wallet = await get(path);
    expect(wallet).toMatchObject({ balance: 150.5, blocks: [promotion, lasting] });
    expect((await get(path.replace('/ai-credits', ''))).data).toEqual([wallet]);

    await advanceClock(workspace, '2026-01-14T23:59:59.999Z');
    expect(await get(path)).toMatchObject({ balance: 150.5 });
    await advanceClock(workspace, '2026-01-15T00:00:00Z');
    expect(await get(path)).toMatchObject({ balance: 100, blocks: [lasting] });
    expect((await get(`${path}/ledger`)).data).toMatchObject([
      {
        type: 'expired',
        amount: -50.5,
        balance: 100,
        createdAt: '2026-01-15T00:00:00.000Z',
        blocks: [{ blockId: promotion.id, amount: -50.5 }],
      },
      { type: 'granted', amount: 50.5, balance: 150.5 },
      { type: 'granted', amount: 100, balance: 100 },
    ]);
    expect((await get(`${path}/ledger?type=expired`)).data).toHaveLength(1);
    expect((await get(`${path}/ledger?to=2026-01-15T00:00:00Z`)).data).toHaveLength(2);
  });

  it('gets a grant with one key once, for ever, and answers it as at first', async () => {
    const path = await walletOfNewCustomer({ expiresAfterDays: 30 });
    const grant = { amount: 10, idempotencyKey: 'welcome' };
    const first = await post(`${path}/grants`, grant, 201);
    expect(first).toMatchObject({ expiresAt: '2026-01-31T00:00:00.000Z' });
    const again = await Promise.all([1, 2, 3].map(() => post(`${path}/grants`, grant, 201)));
    expect(again).toEqual([first, first, first]);
    const both = await whileWalletHeld(system, workspace, path, async (held) => {
      const sent = [1, 2].map(() => post(`${path}/grants`, { amount: 1, idempotencyKey: 'twice' }, 201));
      await held.untilWaiting(1);
      return sent;
    });
    expect(both[0]).toEqual(both[1]);
    expect(await get(path)).toMatchObject({ balance: 11 });
    await post(`${path}/blocks/${both[0].id}/void`, {});
    await post(`${path}/blocks/${first.id}/void`, { reason: 'By mistake' });
    await advanceClock(workspace, '2026-03-01T00:00:00Z');
    expect(await post(`${path}/grants`, { ...grant, amount: 99, currency: 'EUR' }, 201)).toEqual(first);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 0, blocks: [] });
    expect(await post(`${path}/grants`, { ...grant, idempotencyKey: 'other' }, 201)).toMatchObject({
      createdAt: expect.stringMatching(/^2026-03-01T/),
    });
  });

  // The retry looked for its own event only among those that the wallet's row did not have yet.
  it('gets a grant once whose answer was lost, though another process completed it before the retry', async () => {
    const path = await walletOfNewCustomer();
    const store = system.api.get(WalletStore, { strict: false });
    const key = {
      workspaceId: workspace.workspaceId,
      customerId: path.split('/')[3]!,
      creditType: TYPE.type,
    };
    const { append } = SnapshotUpdater.prototype;
    const lost = jest.spyOn(SnapshotUpdater.prototype, 'append').mockImplementationOnce(async function (
      this: SnapshotUpdater,
      ...args: Parameters<SnapshotUpdater['append']>
    ) {
      await append.apply(this, args);
      throw new Unavailable('event_store_unavailable', 'The answer was lost');
    });
    const another = system.saga.get(WalletStore, { strict: false });
    const wait = jest
      .spyOn(Backoff.prototype, 'wait')
      .mockImplementationOnce(async () => another.settle(key));
    expect(store).not.toBe(another);
    await post(`${path}/grants`, { amount: 10 }, 201);
    expect([lost.mock.calls.length > 0, wait.mock.calls.length]).toEqual([true, 1]);
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 10, blocks: [{ amount: 10 }] });
    await post(`${path}/grants`, { amount: 1 }, 201);
    expect(await get(path)).toMatchObject({ balance: 11 });
  });

  it('gives back a number of credits whole or not at all', async () => {
    const path = await walletOfNewCustomer();
    const { id } = await post(`${path}/grants`, { amount: 10, priority: 1 }, 201);
    await post(`${path}/grants`, { amount: 10, priority: 2 }, 201);
    expect(await post(`${path}/void`, { amount: 20.01 }, 400)).toMatchObject({
      code: 'insufficient_credits',
      details: [{ field: 'amount', message: 'must be at most 20' }],
    });
    expect(await post(`${path}/void`, { amount: 12, reason: 'Agreed' })).toMatchObject({
      balance: 8,
      blocks: [{ remaining: 8, priority: 2 }],
    });
    expect(await post(`${path}/blocks/${id}/void`, {}, 404)).toMatchObject({ code: 'block_not_found' });
  });

  it('gives back no more than there is when many ask at once', async () => {
    const path = await walletOfNewCustomer();
    await post(`${path}/grants`, { amount: 10 }, 201);
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => workspace.http.post(`${path}/void`, { amount: 1 })),
    );
    const refused = answers.filter(({ status }) => status === 400);
    expect(refused.map(({ body }) => body.code)).toEqual(Array(6).fill('insufficient_credits'));
    await settle(workspace);
    expect(await get(path)).toMatchObject({ balance: 0, blocks: [] });
    expect((await get(`${path}/ledger?type=voided`)).data).toHaveLength(10);
  });

  it('is only there for customers and credit types of the workspace', async () => {
    const path = await walletOfNewCustomer();
    for (const other of [path.replace('ai-credits', 'none'), '/v1/customers/cust_none/wallets/ai-credits']) {
      await get(other, 404);
      await get(`${other}/ledger`, 404);
      await post(`${other}/grants`, { amount: 1 }, 404);
      await post(`${other}/void`, { amount: 1 }, 404);
    }
  });

  it('refuses grants in another currency, and times that do not fit', async () => {
    const path = await walletOfNewCustomer();
    const refused = async (body: object, field: string) =>
      expect(await post(`${path}/grants`, { amount: 1, ...body }, 400)).toMatchObject({
        details: [{ field }],
      });
    await refused({ currency: 'EUR' }, 'currency');
    await refused({ expiresAt: '2026-01-01T00:00:00Z' }, 'expiresAt');
    await refused({ amount: 0 }, 'amount');
    await refused({ priority: 1_001 }, 'priority');
  });
});
