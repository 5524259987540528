import { describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { DrawDownRecorder, WalletStore, walletDecider, walletId } from '#libs/contexts/credits';
import { SnapshotUpdater } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { CreditUsageInvoicer } from '../../libs/contexts/billing/measure/credit-usage-invoicer.js';
import {
  markWalletChanging,
  freezeUnsettledDraws,
  readRows,
  saveUnsettledDraws,
} from '../../libs/contexts/credits/wallets/wallet-rows.js';
import {
  walletCommandContext,
  settlementCommandContext,
  settlementEvents,
} from '../../libs/contexts/credits/wallets/settlement.js';
import { advanceClock, chargedMetric, settle, workspacePerTest } from '../support/index.js';

const NOW = '2026-01-01T00:00:00.000Z';
const { system, workspace, get, post } = workspacePerTest({ now: NOW });

describe('a wallet after a process was stopped', () => {
  /** A wallet with 20 credits, and its key. */
  async function wallet() {
    const charged = await chargedMetric(post)();
    await post(`${charged.path}/grants`, { amount: 20 }, 201);
    const { workspaceId } = workspace;
    const key = { workspaceId, customerId: charged.customerId, creditType: 'ai-credits' };
    const pool = system.api.get(Pool, { strict: false });
    const wallets = system.api.get(WalletStore, { strict: false });
    const snapshots = system.api.get(SnapshotUpdater, { strict: false });
    return { ...charged, key, pool, wallets, snapshots };
  }
  /** The kinds and amounts of the ledger, the oldest first. */
  const ledgerOf = async (path: string) =>
    (await get(`${path}/ledger`)).data
      .map(({ type, amount }: { type: string; amount: number }) => [type, amount])
      .reverse();

  it('has a void that was appended and not stored, before the next usage takes anything', async () => {
    const { key, path, pool, use, wallets, snapshots } = await wallet();
    await use(10);
    await settle(workspace);
    await markWalletChanging(pool, key);
    const [row] = await readRows(pool, [key]);
    const command = {
      type: 'VoidCredits',
      ...key,
      at: '2026-01-01T00:00:00Z',
      amount: '14',
      reason: null,
      topUpBlockId: 'blk_top_up',
    } as const;
    const context = walletCommandContext(key, 'test', NOW);
    const events = walletDecider.decide(command, row!.state);
    await snapshots.append(walletDecider, walletId(key.workspaceId, key), context, row!, events);

    expect((await use(3)).rejected).toMatchObject([{ code: 'insufficient_credits' }]);
    expect((await use(2)).accepted).toHaveLength(1);
    expect(await get(path)).toMatchObject({ balance: 0 });
    // The command is known, so its repetition changes nothing.
    const again = await wallets.change(context, key, { type: 'VoidCredits', amount: '14', reason: null });
    expect(again.events).toEqual([]);
    await settle(workspace);
    expect(await ledgerOf(path)).toEqual([
      ['granted', 20],
      ['drawn_down', -5],
      ['voided', -14],
      ['drawn_down', -1],
    ]);
  });

  it.each(['before', 'after'])('has its frozen draws once, if it stopped %s their event', async (moment) => {
    const { key, metricId, path, pool, use, snapshots } = await wallet();
    const [block] = (await get(path)).blocks;
    // One transaction, so that the saga settles nothing in between.
    const [row] = await inTransaction(pool, async (tx) => {
      await saveUnsettledDraws(tx, [[key, [{ metricId, blockId: block.id, amount: '5' }]]]);
      return freezeUnsettledDraws(tx, { minAgeMillis: 0, limit: 1, workspaceId: key.workspaceId });
    });
    if (moment === 'after') {
      const context = settlementCommandContext(row!, NOW);
      const events = settlementEvents(row!, row!.state, context.now, false);
      await snapshots.append(walletDecider, walletId(key.workspaceId, key), context, row!, events);
    }
    await use(4);
    expect(await get(path)).toMatchObject({ balance: 13 });
    await post(`${path}/void`, { amount: 12 });
    expect(await get(path)).toMatchObject({ balance: 1 });
    await system.api.get(DrawDownRecorder, { strict: false }).recordAll(key.workspaceId);
    await settle(workspace);
    expect(await ledgerOf(path)).toEqual([
      ['granted', 20],
      ['drawn_down', -5],
      ['drawn_down', -2],
      ['voided', -12],
    ]);
    expect(await readRows(pool, [key])).toMatchObject([
      { settling: null, unsettled: [], changing: false, state: { blocks: [{ remaining: '1' }] } },
    ]);
  });

  it('has its frozen draws by one of two processes that settle them at different instants', async () => {
    const { key, metricId, path, pool, wallets, snapshots } = await wallet();
    const [block] = (await get(path)).blocks;
    const [row] = await inTransaction(pool, async (tx) => {
      await saveUnsettledDraws(tx, [[key, [{ metricId, blockId: block.id, amount: '5' }]]]);
      return freezeUnsettledDraws(tx, { minAgeMillis: 0, limit: 1, workspaceId: key.workspaceId });
    });
    const append = (now: string) =>
      snapshots.append(
        walletDecider,
        walletId(key.workspaceId, key),
        settlementCommandContext(row!, now),
        row!,
        settlementEvents(row!, row!.state, now, false),
      );
    expect(await append('2026-01-01T00:00:00.000Z')).toMatchObject({ revision: row!.revision + 1n });
    expect(await append('2026-01-01T00:00:01.000Z')).toBeUndefined();
    await wallets.settle(key);
    expect(await ledgerOf(path)).toEqual([
      ['granted', 20],
      ['drawn_down', -5],
    ]);
  });

  /** A wallet with 20 credits that allows overage, and a function that takes its usage for an invoice as billing does. */
  async function billedWallet() {
    const charged = await chargedMetric(post)({ overage: 'allow' });
    const { customerId } = charged;
    await post(`${charged.path}/grants`, { amount: 20 }, 201);
    const { workspaceId } = workspace;
    const usage = system.api.get(CreditUsageInvoicer, { strict: false });
    const context = walletCommandContext({ workspaceId, customerId, creditType: 'ai-credits' }, 'test', NOW);
    const take = (invoiceId: string) =>
      usage.moveToInvoice(context, [
        {
          invoiceId,
          customerId,
          kind: 'cycle',
          subscriptionId: 'sub_1',
          currency: 'USD',
          periodStart: NOW,
          periodEnd: NOW,
        },
      ]);
    return { ...charged, usage, context, take };
  }

  it('gives an invoice the same usage again, if it stopped before the invoice was made', async () => {
    const { customerId, metricId, path, use, usage, context, take } = await billedWallet();
    await use(50);
    const first = await take('inv_1');
    expect(first).toMatchObject({
      items: [{ type: 'overage', metricId, quantity: '5' }],
      creditsUsed: [{ metricId, credits: '20' }],
    });
    await post(`${path}/grants`, { amount: 20 }, 201);
    await use(6);
    expect(await take('inv_1')).toEqual(first);
    expect(await take('inv_2')).toMatchObject({ items: [], creditsUsed: [{ metricId, credits: '3' }] });
    expect(await take('inv_1')).toEqual(first);
    expect(await take('inv_3')).toEqual({ items: [], overage: [], creditsUsed: [] });

    // Another process has stored the first invoice before there was any usage, so the next invoice has it.
    const stored = { invoiceId: 'inv_1', customerId, lines: [], creditsUsed: [] };
    await usage.returnUsageMissingFromInvoice(context, first, stored);
    await usage.returnUsageMissingFromInvoice(context, first, stored);
    const { creditsUsed } = await take('inv_4');
    expect(creditsUsed).toMatchObject([{ metricId, credits: '20' }]);
    // Of an invoice that has it, nothing is returned.
    await usage.returnUsageMissingFromInvoice(
      context,
      { overage: [], creditsUsed },
      { ...stored, invoiceId: 'inv_4', creditsUsed },
    );
    expect(await take('inv_5')).toEqual({ items: [], overage: [], creditsUsed: [] });
  });

  it('has the usage again that it took for an invoice which another process had made without it', async () => {
    const { customerId, metricId, use, take } = await billedWallet();
    const lines = [{ description: 'Set-up', quantity: 1, unitPrice: 10 }];
    const { id } = await post('/v1/invoices', { customerId, currency: 'USD', lines }, 201);
    await use(50);
    expect(await take(id)).toMatchObject({ items: [{ quantity: '5' }], creditsUsed: [{ credits: '20' }] });
    // The process that took it stops here.
    await advanceClock(workspace, '2026-01-01T00:09:00Z');
    expect(await take('inv_2')).toEqual({ items: [], overage: [], creditsUsed: [] });
    await advanceClock(workspace, '2026-01-01T01:00:00Z');
    expect(await take('inv_3')).toMatchObject({
      items: [{ type: 'overage', metricId, quantity: '5' }],
      creditsUsed: [{ metricId, credits: '20' }],
    });
    // As long as no invoice has it, it is not given to another one.
    await advanceClock(workspace, '2026-01-01T02:00:00Z');
    expect(await take('inv_4')).toEqual({ items: [], overage: [], creditsUsed: [] });
  });
});
