import type { Type } from '@nestjs/common';
import { describe, expect, it, jest } from '@jest/globals';
import { PlannedMigrationFinder } from '#libs/contexts/billing';
import { CreditTypeReferences, WalletReader, WalletStore } from '#libs/contexts/credits';
import { Subscriptions } from '#libs/contexts/subscriptions';
import { Unavailable } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { AllowanceUpdater } from '#libs/contexts/credit-allowances';
import {
  advanceClock,
  chargedMetric as chargedMetricWith,
  commandContext,
  createPlan,
  settle,
  workspacePerTest,
} from '../../../test/support/index.js';
import { holdCommands } from '../../../test/support/before-command.js';
import { jumpClock } from '../../../test/support/invoicing.js';

const { system, workspace, get, post, remove, create } = workspacePerTest();
const chargedMetric = chargedMetricWith(post);

const FEE = {
  name: 'Base',
  config: { model: 'flat', amount: 10, currency: 'USD' },
  timing: 'in_advance',
} as const;

/** A customer on a plan with an allowance of 1,000 credits a month. Usage costs half a credit a unit. */
async function subscribed({
  allowance = {},
  subscription = {},
  cadence = 'monthly',
}: { allowance?: object; subscription?: object; cadence?: 'monthly' | 'annual' } = {}) {
  const charged = await chargedMetric();
  const planId = await createPlan({ http: workspace.http }, { ...FEE, cadence });
  const allowances = '/v1/credit-types/ai-credits/allowances';
  const added = await create(allowances, { planId, credits: 1_000, every: 'month', ...allowance });
  const { id } = await create('/v1/subscriptions', {
    customerId: charged.customerId,
    planId,
    ...subscription,
  });
  await settle(workspace);
  /** The kinds and amounts in the ledger, the oldest first. */
  const ledger = async () =>
    (await get(`${charged.path}/ledger`)).data
      .map(({ type, amount }: { type: string; amount: number }) => [type, amount])
      .reverse();
  const balance = async () => (await get(charged.path)).balance as number;
  return {
    ...charged,
    planId,
    allowances,
    allowanceId: added.id,
    subscription: `/v1/subscriptions/${id}`,
    subscriptionId: id as string,
    ledger,
    balance,
  };
}

describe('an allowance', () => {
  it('is granted with each month, and a part of what is left rolls over', async () => {
    const { path, use, ledger, allowanceId } = await subscribed({
      allowance: { rollover: { minimum: 0, maximum: 200 }, priority: 3 },
    });
    expect(await get(path)).toMatchObject({
      balance: 1_000,
      blocks: [
        {
          source: 'grant',
          amount: 1_000,
          priority: 3,
          costBasis: null,
          description: 'Allowance',
          effectiveAt: '2026-01-01T00:00:00.000Z',
          expiresAt: '2026-02-01T00:00:00.000Z',
          allowance: { id: allowanceId, rolledOver: 0 },
        },
      ],
    });
    // 1,400 units cost 700 credits. 300 are left, and 200 of them stay.
    await use(1_400);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await get(path)).toMatchObject({
      balance: 1_200,
      blocks: [{ amount: 1_200, expiresAt: '2026-03-01T00:00:00.000Z', allowance: { rolledOver: 200 } }],
    });
    expect(await ledger()).toEqual([
      ['granted', 1_000],
      ['drawn_down', -700],
      ['expired', -300],
      ['granted', 1_200],
    ]);
  });

  it('rolls over also if the grant of the next month fails at first', async () => {
    const { use, ledger } = await subscribed({
      cadence: 'annual',
      allowance: { rollover: { minimum: 0, maximum: 200 } },
    });
    await use(1_400);
    await settle(workspace);
    const wallets = system.saga.get(WalletStore, { strict: false });
    const change = wallets.change.bind(wallets);
    const failing = jest.spyOn(wallets, 'change').mockImplementation(async (...args) => {
      if (args[2].type !== 'GrantAllowance') return change(...args);
      failing.mockRestore();
      throw new Unavailable('too_many_at_work', 'Too many changes of the same wallet wait');
    });
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(jest.isMockFunction(wallets.change)).toBe(false);
    expect(await ledger()).toEqual([
      ['granted', 1_000],
      ['drawn_down', -700],
      ['expired', -300],
      ['granted', 1_200],
    ]);
  });

  it('comes monthly with a plan that is billed yearly, or once with each of its periods', async () => {
    const charged = await chargedMetric();
    const planId = await createPlan({ http: workspace.http }, { ...FEE, cadence: 'annual' });
    const allowances = '/v1/credit-types/ai-credits/allowances';
    await create(allowances, { planId, credits: 10, every: 'month' });
    await create(allowances, { planId, credits: 500, every: 'period' });
    await create('/v1/subscriptions', { customerId: charged.customerId, planId });
    await settle(workspace);
    await charged.use(20);
    await advanceClock(workspace, '2026-03-15T00:00:00Z');
    expect(await get(charged.path)).toMatchObject({
      balance: 510,
      blocks: [{ amount: 10, expiresAt: '2026-04-01T00:00:00.000Z' }, { amount: 500 }],
    });
  });

  it('is given in a trial, not granted while paused, and granted anew after it', async () => {
    const { subscription, balance } = await subscribed({
      subscription: { trialDays: 14 },
      allowance: { every: 'period' },
    });
    expect(await balance()).toBe(1_000);
    await advanceClock(workspace, '2026-01-15T00:00:00Z');
    expect(await balance()).toBe(1_000);
    await post(`${subscription}/pause`);
    await settle(workspace);
    expect(await balance()).toBe(1_000);
    await advanceClock(workspace, '2026-02-20T00:00:00Z');
    expect(await balance()).toBe(0);
    await post(`${subscription}/resume`);
    await settle(workspace);
    expect(await balance()).toBe(1_000);
  });

  it('ends with the plan and with the subscription, and is replaced by that of the next plan', async () => {
    const { subscription, balance, use, allowances, planId } = await subscribed();
    await use(200);
    const larger = await createPlan({ http: workspace.http }, { ...FEE, name: 'Larger' });
    await create(allowances, { planId: larger, credits: 5_000, every: 'month' });
    await advanceClock(workspace, '2026-01-10T00:00:00Z');
    await post(`${subscription}/amend`, { planId: larger });
    await settle(workspace);
    // 22 of 31 days of 5,000 credits.
    expect(await balance()).toBe(3_548);
    // 22 of 31 days of 1,000 credits.
    await post(`${subscription}/amend`, { planId });
    await settle(workspace);
    expect(await balance()).toBe(709);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await balance()).toBe(1_000);
    await post(`${subscription}/cancel`, { immediately: true });
    await settle(workspace);
    expect(await balance()).toBe(0);
  });

  it('cannot be had twice by changes of plan to and fro', async () => {
    const full = { onPlanChange: 'full_price' };
    const { subscription, balance, use, allowances, planId } = await subscribed({ allowance: full });
    const other = await createPlan({ http: workspace.http }, { ...FEE, name: 'Other' });
    await create(allowances, { planId: other, credits: 1_000, every: 'month', ...full });
    await use(1_800);
    for (const to of [other, planId, other, planId]) {
      await post(`${subscription}/amend`, { planId: to });
      await settle(workspace);
      expect(await balance()).toBe(100);
    }
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await balance()).toBe(1_000);
  });

  it('of another plan begins with the next interval if it says so, and the old one stays until then', async () => {
    const { subscription, balance, use, allowances } = await subscribed({ cadence: 'annual' });
    const larger = await createPlan({ http: workspace.http }, { ...FEE, name: 'Larger', cadence: 'annual' });
    const body = { planId: larger, credits: 5_000, every: 'month', onPlanChange: 'next_period' };
    expect(await create(allowances, body)).toMatchObject({ onPlanChange: 'next_period' });
    await use(200);
    await advanceClock(workspace, '2026-01-10T00:00:00Z');
    await post(`${subscription}/amend`, { planId: larger });
    await settle(workspace);
    expect(await balance()).toBe(900);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await balance()).toBe(5_000);
  });

  it('is not granted while the wallet has 1,000 blocks, and comes with the next interval after that', async () => {
    const { path, use, balance, customerId } = await subscribed({ cadence: 'annual' });
    await use(2_000);
    await settle(workspace);
    const key = { workspaceId: workspace.workspaceId, customerId, creditType: 'ai-credits' };
    const wallets = system.api.get(WalletStore, { strict: false });
    const grant = { amount: '1', source: 'grant', priority: 1, costBasis: null, description: null } as const;
    const terms = { currency: 'USD', expiresAfterDays: null };
    for (let n = 1; n <= 1_000; n++)
      await wallets.change(commandContext({ ...key, now: '2026-01-02T00:00:00.000Z' }), key, {
        type: 'GrantCredits',
        blockId: `blk_${n}`,
        grant,
        terms,
      });
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await balance()).toBe(1_000);
    await post(`${path}/void`, { amount: 1 });
    await advanceClock(workspace, '2026-03-01T00:00:00Z');
    expect(await balance()).toBe(1_999);
  });

  it('is not ended by a task that read the subscription before its change of plan', async () => {
    const { subscription, subscriptionId, balance, allowances } = await subscribed();
    const larger = await createPlan({ http: workspace.http }, { ...FEE, name: 'Larger' });
    const full = { onPlanChange: 'full_price' };
    await create(allowances, { planId: larger, credits: 5_000, every: 'month', ...full });
    const find = <T>(type: Type<T>): T => system.saga.get(type, { strict: false });
    const subscriptions = new Subscriptions(find(AggregateStore));
    const require = subscriptions.require.bind(subscriptions);
    const overtaken = jest.spyOn(subscriptions, 'require').mockImplementationOnce(async (...asked) => {
      const before = await require(...asked);
      await post(`${subscription}/amend`, { planId: larger });
      await settle(workspace);
      expect(await balance()).toBe(5_000);
      return before;
    });
    const late = new AllowanceUpdater(
      subscriptions,
      find(CreditTypeReferences),
      find(WalletReader),
      find(WalletStore),
      system.saga.get(PlannedMigrationFinder, { strict: false }),
    );
    const { now } = await find(WorkspaceClock).read(workspace.workspaceId);
    await late.updateAllowances(
      commandContext({ workspaceId: workspace.workspaceId, now, mayRepeat: true }),
      subscriptionId,
    );
    expect(await balance()).toBe(5_000);
    expect(overtaken.mock.calls.length).toBeGreaterThan(1);
  });

  it('is not granted for a period that a price migration begins on another plan, also before billing moves', async () => {
    const { subscriptionId, allowances, planId, ledger } = await subscribed();
    const larger = await createPlan({ http: workspace.http }, { ...FEE, name: 'Larger' });
    await create(allowances, { planId: larger, credits: 5_000, every: 'month' });
    await create('/v1/price-migrations', {
      name: 'Larger',
      fromPlanId: planId,
      toPlanId: larger,
      effectiveAt: 'period_end',
    });
    await settle(workspace);
    const release = holdCommands(system.saga, 'AdvanceSubscription');
    await jumpClock(system, workspace, '2026-02-01T00:00:00Z');
    const { workspaceId } = workspace;
    await system.saga
      .get(AllowanceUpdater, { strict: false })
      .updateAllowances(
        commandContext({ workspaceId, now: '2026-02-01T00:00:00.000Z', mayRepeat: true }),
        subscriptionId,
      );
    release();
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await ledger()).toEqual([
      ['granted', 1_000],
      ['granted', 5_000],
      ['expired', -1_000],
    ]);
  });

  it('ends with its interval after it was removed', async () => {
    const { balance, allowances, allowanceId } = await subscribed();
    await remove(`${allowances}/${allowanceId}`);
    await settle(workspace);
    expect(await balance()).toBe(1_000);
    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    expect(await balance()).toBe(0);
  });

  it('is given for each subscription by itself', async () => {
    const { customerId, planId, balance, subscription } = await subscribed();
    await create('/v1/subscriptions', { customerId, planId });
    await settle(workspace);
    expect(await balance()).toBe(2_000);
    await post(`${subscription}/cancel`, { immediately: true });
    await settle(workspace);
    expect(await balance()).toBe(1_000);
  });
});
