import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BillingProcess } from '#libs/contexts/billing';
import { PriceMigrationProcess } from '#libs/contexts/price-migrations';
import type { ProcessManager } from '#libs/kernel/saga';
import { beforeCommand } from '../../../test/support/before-command.js';
import { customerWithCard, jumpClock } from '../../../test/support/invoicing.js';
import { verificationOf } from '../../../test/support/ledger-verification.js';
import {
  advanceClock,
  createPlan,
  fee,
  Gate,
  subscribe,
  workspacePerTest,
} from '../../../test/support/index.js';

/* A price migration at the end of a period takes the place of the renewal. */

const APRIL = '2026-04-01T00:00:00.000Z';
const SOON = '2026-04-02T00:00:00.000Z';
const MAY = '2026-05-01T00:00:00.000Z';
const JUNE = '2026-06-01T00:00:00.000Z';

const { system, workspace, get, post, create, invoicesOf } = workspacePerTest({ now: APRIL });
let fromPlanId: string;
let toPlanId: string;
beforeEach(async () => {
  fromPlanId = await createPlan(workspace, fee('Old', 20, { timing: 'in_advance' }));
  toPlanId = await createPlan(workspace, fee('New', 30, { timing: 'in_advance' }));
});

describe('a price migration on the billing day', () => {
  it('takes the place of the renewal: one invoice at the new price, one charge, one use of a coupon', async () => {
    const customerId = await customerWithCard(workspace);
    const subscriptionId = await subscribeTo(customerId, fromPlanId);
    await create('/v1/coupons', {
      id: 'TWICE',
      name: 'Twice',
      percentOff: 10,
      duration: 'repeating',
      durationInInvoices: 2,
    });
    // Its first invoice is made by then.
    await advanceClock(workspace, SOON);
    await create(`/v1/customers/${customerId}/coupons`, { couponId: 'TWICE' });
    const migration = await schedule();
    expect(await compute(subscriptionId)).toMatchObject({ total: 27, periodEnd: MAY, billedAt: MAY });

    await advanceClock(workspace, MAY);
    expect(await billed(customerId)).toEqual(['cycle 2026-04-01 20', 'cycle 2026-05-01 27']);
    const [, renewal] = await invoicesOf(customerId);
    expect(renewal!.lines.map(({ amount }) => amount)).toEqual([30]);
    const { data: attempts } = await get(`/v1/invoices/${renewal!.id}/payment-attempts`);
    expect(attempts).toMatchObject([{ status: 'succeeded', amount: 27 }]);
    expect(await migrationOf(migration.id)).toMatchObject({
      status: 'completed',
      progress: { total: 1, migrated: 1, skipped: 0, failed: 0 },
    });
    expect(await outcomesOf(migration.id)).toEqual([
      { subscriptionId, customerId, status: 'migrated', invoiceId: renewal!.id, code: null, message: null },
    ]);
    const { data: amendments } = await get(`/v1/subscriptions/${subscriptionId}/amendments`);
    expect(amendments).toMatchObject([{ type: 'price_migration', status: 'applied', effectiveAt: MAY }]);
    // The coupon counts for one more invoice.
    await advanceClock(workspace, '2026-07-01T00:00:00.000Z');
    expect((await billed(customerId)).slice(2)).toEqual(['cycle 2026-06-01 27', 'cycle 2026-07-01 30']);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('comes to the same if a billing run is done before the migration', async () => {
    const { customerId } = await subscribe(workspace, fromPlanId);
    await advanceClock(workspace, SOON);
    const migration = await schedule();
    const releases = [
      holdTasks(PriceMigrationProcess, 'start-migration'),
      holdTasks(BillingProcess, 'pass-boundary'),
    ];
    await jumpClock(system, workspace, MAY);
    expect(await post('/v1/billing/run')).toMatchObject({ invoiceCount: 1, subscriptions: 1 });
    expect(await migrationOf(migration.id)).toMatchObject({ status: 'scheduled' });
    for (const release of releases) release();
    await advanceClock(workspace, MAY);
    expect(await billed(customerId)).toEqual(['cycle 2026-04-01 20', 'cycle 2026-05-01 30']);
    expect(await outcomesOf(migration.id)).toMatchObject([{ status: 'migrated' }]);
  });

  it('comes to the same if the migration is done before the timers', async () => {
    const { customerId } = await subscribe(workspace, fromPlanId);
    const migration = await schedule();
    const release = holdTasks(BillingProcess, 'pass-boundary');
    // All are moved by the time that this is recorded.
    beforeCommand(system.saga, 'RecordBatch', async () => release());
    await advanceClock(workspace, MAY);
    expect(await billed(customerId)).toEqual(['cycle 2026-04-01 20', 'cycle 2026-05-01 30']);
    expect(await outcomesOf(migration.id)).toMatchObject([{ status: 'migrated' }]);
  });

  it('comes to the same if both have seen the boundary, and neither has passed it', async () => {
    const { customerId } = await subscribe(workspace, fromPlanId);
    const migration = await schedule();
    const gate = new Gate(2);
    beforeCommand(system.saga, 'AdvanceSubscription', () => gate.pass());
    await advanceClock(workspace, MAY);
    expect(await billed(customerId)).toEqual(['cycle 2026-04-01 20', 'cycle 2026-05-01 30']);
    expect(await outcomesOf(migration.id)).toMatchObject([{ status: 'migrated' }]);
  });

  it('is on the common invoice of a customer, with what is not migrated', async () => {
    await workspace.http.put('/v1/billing-settings', { invoiceGrouping: 'customer' }).expect(200);
    const customerId = await customerWithCard(workspace);
    const moved = await subscribeTo(customerId, fromPlanId);
    const other = await subscribeTo(
      customerId,
      await createPlan(workspace, fee('Mail', 5, { timing: 'in_advance' })),
    );
    await schedule();
    const upcoming = await compute(other);
    expect(upcoming).toMatchObject({ total: 35 });
    await advanceClock(workspace, MAY);
    const [invoice, ...more] = (await invoicesOf(customerId)).filter(({ createdAt }) => createdAt === MAY);
    expect(more).toEqual([]);
    expect(invoice).toMatchObject({ kind: 'cycle', subscriptionIds: [moved, other], total: 35 });
    expect(await planOf(moved)).toBe(toPlanId);
  });

  it('takes the unused part of spent coupons over on the common invoice, of each subscription to itself', async () => {
    await workspace.http.put('/v1/billing-settings', { invoiceGrouping: 'customer' }).expect(200);
    const customerId = await customerWithCard(workspace);
    await subscribeTo(customerId, await withYear(5));
    const [small, large, next] = [await withYear(365), await withYear(730), await withYear(1095)];
    const half = { id: 'HALF', name: 'Half', percentOff: 50, duration: 'repeating', durationInInvoices: 2 };
    await create('/v1/coupons', { ...half, planIds: [small, large, next] });
    await create(`/v1/customers/${customerId}/coupons`, { couponId: 'HALF' });
    const moved = [await subscribeTo(customerId, small), await subscribeTo(customerId, large)];
    await advanceClock(workspace, SOON);
    for (const planId of [small, large]) await schedule({ fromPlanId: planId, toPlanId: next });
    await advanceClock(workspace, MAY);

    const invoices = await invoicesOf(customerId);
    const invoice = invoices.pop()!;
    const firstOf = (id: string) => invoices.find(({ subscriptionId }) => subscriptionId === id)!.id;
    // Halves of 335 of 365 days, of 365.00 and of 730.00.
    expect(invoice.discounts).toMatchObject([
      { name: 'Half', amount: 167.5, carriedFrom: firstOf(moved[0]!) },
      { name: 'Half', amount: 335, carriedFrom: firstOf(moved[1]!) },
    ]);
    const discountOf = (id: string) =>
      invoice.lines
        .filter(({ subscriptionId }) => subscriptionId === id)
        .reduce((sum, { discount = 0 }) => sum + discount, 0);
    expect(moved.map(discountOf)).toEqual([167.5, 335]);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('is billed first at the new price where a trial ends, or the subscription starts, on that day', async () => {
    const trial = await subscribe(workspace, fromPlanId, { subscription: { trialDays: 30 } });
    const pending = await subscribe(workspace, fromPlanId, { subscription: { startsAt: MAY } });
    const migration = await schedule();
    expect(await compute(trial.subscriptionId)).toMatchObject({ total: 30, billedAt: MAY });
    await advanceClock(workspace, MAY);
    for (const { customerId } of [trial, pending])
      expect(await billed(customerId)).toEqual(['cycle 2026-05-01 30']);
    expect(await migrationOf(migration.id)).toMatchObject({ progress: { migrated: 2 } });
  });

  it('leaves the renewal alone where it cannot be made, and says why', async () => {
    const { customerId } = await subscribe(workspace, fromPlanId);
    const { id } = await schedule();
    await workspace.http.delete(`/v1/plans/${toPlanId}`).expect(204);
    await advanceClock(workspace, MAY);
    expect(await billed(customerId)).toEqual(['cycle 2026-04-01 20', 'cycle 2026-05-01 20']);
    expect(await outcomesOf(id)).toMatchObject([{ status: 'failed', code: 'plan_not_found' }]);
  });

  it('does nothing once it is canceled', async () => {
    const { customerId, subscriptionId } = await subscribe(workspace, fromPlanId);
    const { id } = await schedule();
    await post(`/v1/price-migrations/${id}/cancel`);
    expect(await compute(subscriptionId)).toMatchObject({ total: 20 });
    await advanceClock(workspace, MAY);
    expect(await billed(customerId)).toEqual(['cycle 2026-04-01 20', 'cycle 2026-05-01 20']);
  });

  it('does not move whoever goes over to another plan, or leaves, on that day', async () => {
    const other = await createPlan(workspace, fee('Other', 10, { timing: 'in_advance' }));
    const [changing, leaving] = [
      await subscribe(workspace, fromPlanId),
      await subscribe(workspace, fromPlanId),
    ];
    await post(`/v1/subscriptions/${changing.subscriptionId}/schedule-amendment`, { planId: other });
    await post(`/v1/subscriptions/${leaving.subscriptionId}/cancel`);
    const { id } = await schedule();
    const release = holdTasks(BillingProcess, 'pass-boundary');
    beforeCommand(system.saga, 'RecordBatch', async () => release());
    await advanceClock(workspace, MAY);
    expect(await billed(changing.customerId)).toEqual(['cycle 2026-04-01 20', 'cycle 2026-05-01 10']);
    expect(await billed(leaving.customerId)).toEqual(['cycle 2026-04-01 20']);
    expect(await migrationOf(id)).toMatchObject({ status: 'completed', progress: { skipped: 2, failed: 0 } });
  });
});

describe('a price migration at the end of each period', () => {
  /** With periods that begin on that day of the month, which is charged in part at first. */
  const subscribedOn = (anchorDay: number) =>
    subscribe(workspace, fromPlanId, { subscription: { anchorDay } });
  const day = (of: number) => `2026-04-${of}T00:00:00.000Z`;
  const totals = async (customerId: string) => (await invoicesOf(customerId)).map(({ total }) => total);

  it('moves each customer as the own period ends, with one invoice, and is in progress until all are over', async () => {
    const [tenth, twentieth] = [await subscribedOn(10), await subscribedOn(20)];
    const migration = await schedule({ effectiveAt: 'period_end' });
    expect(migration).toMatchObject({ effectiveAt: 'period_end', status: 'scheduled' });
    await advanceClock(workspace, SOON);
    expect(await migrationOf(migration.id)).toMatchObject({
      status: 'in_progress',
      startedAt: APRIL,
      progress: { total: 2, processed: 0 },
    });
    expect(await compute(tenth.subscriptionId)).toMatchObject({ total: 30, billedAt: day(10) });
    expect(await compute(twentieth.subscriptionId)).toMatchObject({ total: 30, billedAt: day(20) });

    await advanceClock(workspace, day(10));
    expect(await migrationOf(migration.id)).toMatchObject({
      status: 'in_progress',
      progress: { total: 2, processed: 1, migrated: 1 },
    });
    expect([await planOf(tenth.subscriptionId), await planOf(twentieth.subscriptionId)]).toEqual([
      toPlanId,
      fromPlanId,
    ]);
    await advanceClock(workspace, day(20));
    expect(await migrationOf(migration.id)).toMatchObject({
      status: 'completed',
      finishedAt: day(20),
      progress: { total: 2, processed: 2, migrated: 2 },
    });
    // 9 and 19 of 31 and 30 days at first.
    expect(await totals(tenth.customerId)).toEqual([expect.any(Number), 30]);
    expect(await totals(twentieth.customerId)).toEqual([expect.any(Number), 30]);
    const [outcome] = (await outcomesOf(migration.id)).filter(
      ({ customerId }: { customerId: string }) => customerId === tenth.customerId,
    );
    expect(outcome).toMatchObject({
      status: 'migrated',
      invoiceId: (await invoicesOf(tenth.customerId))[1]!.id,
    });
  });

  it('follows the period, leaves out who comes later, and moves who is paused at once', async () => {
    const [longer, paused, ended] = [
      await subscribe(workspace, fromPlanId),
      await subscribedOn(10),
      await subscribedOn(10),
    ];
    await post(`/v1/subscriptions/${paused.subscriptionId}/pause`);
    const { id } = await schedule({ effectiveAt: 'period_end' });
    await advanceClock(workspace, '2026-04-05T00:00:00.000Z');
    expect(await planOf(paused.subscriptionId)).toBe(toPlanId);
    const later = await subscribedOn(10);
    // Quarterly from now on: to the plan of before with a longer fee in the place of its own.
    const { id: quarterly } = await create('/v1/prices', {
      ...fee('Quarter', 60, { cadence: 'quarterly', timing: 'in_advance' }),
    });
    const own = (await get(`/v1/subscriptions/${longer.subscriptionId}`)).prices[0].priceId;
    await post(`/v1/subscriptions/${longer.subscriptionId}/amend`, {
      addPrices: [quarterly],
      removePrices: [own],
    });
    await post(`/v1/subscriptions/${ended.subscriptionId}/cancel`, { immediately: true });

    await advanceClock(workspace, MAY);
    expect(await planOf(later.subscriptionId)).toBe(fromPlanId);
    expect(await migrationOf(id)).toMatchObject({
      status: 'in_progress',
      progress: { total: 3, migrated: 1, skipped: 1 },
    });
    const { currentPeriodEnd } = await get(`/v1/subscriptions/${longer.subscriptionId}`);
    expect(currentPeriodEnd > MAY).toBe(true);
    await advanceClock(workspace, currentPeriodEnd);
    expect(await migrationOf(id)).toMatchObject({
      status: 'completed',
      progress: { migrated: 2, skipped: 1 },
    });
    // The fee of its own goes with it.
    expect((await totals(longer.customerId)).at(-1)).toBe(90);
    expect(await planOf(later.subscriptionId)).toBe(fromPlanId);
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('can be canceled on the way: who has not gone over stays', async () => {
    const [tenth, twentieth] = [await subscribedOn(10), await subscribedOn(20)];
    const { id } = await schedule({ effectiveAt: 'period_end' });
    await advanceClock(workspace, day(10));
    expect(await post(`/v1/price-migrations/${id}/cancel`)).toMatchObject({
      status: 'canceled',
      progress: { total: 2, migrated: 1 },
    });
    expect(await compute(twentieth.subscriptionId)).toMatchObject({ total: 20 });
    await advanceClock(workspace, JUNE);
    expect(await planOf(tenth.subscriptionId)).toBe(toPlanId);
    expect(await planOf(twentieth.subscriptionId)).toBe(fromPlanId);
    expect((await totals(twentieth.customerId)).slice(1)).toEqual([20, 20]);
  });

  it('says also after it was canceled whom billing had moved by then', async () => {
    const { customerId, subscriptionId } = await subscribedOn(10);
    const stays = await subscribedOn(20);
    const { id } = await schedule({ effectiveAt: 'period_end' });
    await advanceClock(workspace, SOON);
    const releases = [
      holdTasks(PriceMigrationProcess, 'take-turns'),
      holdTasks(BillingProcess, 'pass-boundary'),
    ];
    await jumpClock(system, workspace, day(10));
    expect(await post('/v1/billing/run')).toMatchObject({ subscriptions: 1 });
    await post(`/v1/price-migrations/${id}/cancel`);
    for (const release of releases) release();
    await advanceClock(workspace, day(20));
    expect(await planOf(subscriptionId)).toBe(toPlanId);
    expect(await planOf(stays.subscriptionId)).toBe(fromPlanId);
    expect(await migrationOf(id)).toMatchObject({
      status: 'canceled',
      finishedAt: null,
      progress: { total: 2, migrated: 1, skipped: 0, failed: 0 },
    });
    const invoiceId = (await invoicesOf(customerId))[1]!.id;
    expect(await outcomesOf(id)).toMatchObject([{ subscriptionId, status: 'migrated', invoiceId }]);
  });

  it('says whom it could not move as the period ended, and goes on', async () => {
    const { customerId, subscriptionId } = await subscribedOn(10);
    const { id } = await schedule({ effectiveAt: 'period_end' });
    await advanceClock(workspace, SOON);
    await workspace.http.delete(`/v1/plans/${toPlanId}`).expect(204);
    await advanceClock(workspace, day(10));
    expect((await totals(customerId)).slice(1)).toEqual([20]);
    expect(await migrationOf(id)).toMatchObject({ status: 'completed_with_errors', progress: { failed: 1 } });
    expect(await outcomesOf(id)).toMatchObject([
      { subscriptionId, status: 'failed', code: 'plan_not_found' },
    ]);
  });

  it('goes on too if units of a metric of the new plan cost credits meanwhile', async () => {
    const { customerId, subscriptionId } = await subscribedOn(10);
    // The migration is not over before this customer's period ends.
    await subscribedOn(20);
    const { id: metricId } = await create('/v1/metrics', { name: 'calls', aggregation: { type: 'count' } });
    const config = { model: 'unit', unitPrice: 1, currency: 'USD' };
    const price = await create('/v1/prices', { name: 'Calls', metricId, cadence: 'usage_based', config });
    const plan = await create('/v1/plans', { name: 'Calls', prices: [price.id] });
    const { id } = await schedule({ toPlanId: plan.id, effectiveAt: 'period_end' });
    await advanceClock(workspace, SOON);
    const credits = { type: 'ai-credits', name: 'AI credits', unitPrice: 0.01, currency: 'USD' };
    await create('/v1/credit-types', credits);
    await create('/v1/credit-types/ai-credits/rates', { metricId, creditsPerUnit: 1 });
    await advanceClock(workspace, day(10));
    expect((await totals(customerId)).slice(1)).toEqual([20]);
    expect(await migrationOf(id)).toMatchObject({ status: 'in_progress', progress: { failed: 1 } });
    expect(await outcomesOf(id)).toContainEqual(
      expect.objectContaining({ subscriptionId, status: 'failed', code: 'metric_costs_credits' }),
    );
  });
});

function schedule(more: object = {}) {
  return create('/v1/price-migrations', {
    name: 'Prices of May',
    fromPlanId,
    toPlanId,
    effectiveAt: MAY,
    ...more,
  });
}

/** A plan with a fee of that amount for a year, and one of 1.00 for each month. */
function withYear(amount: number): Promise<string> {
  const inAdvance = { timing: 'in_advance' } as const;
  return createPlan(
    workspace,
    fee('Month', 1, inAdvance),
    fee('Year', amount, { ...inAdvance, cadence: 'annual' }),
  );
}

function migrationOf(id: string) {
  return get(`/v1/price-migrations/${id}`);
}

async function outcomesOf(id: string) {
  return (await get(`/v1/price-migrations/${id}/customers`)).data;
}

async function subscribeTo(customerId: string, planId: string, more: object = {}): Promise<string> {
  return (await create('/v1/subscriptions', { customerId, planId, ...more })).id;
}

async function planOf(subscriptionId: string): Promise<string> {
  return (await get(`/v1/subscriptions/${subscriptionId}`)).planId;
}

function compute(subscriptionId: string) {
  return post(`/v1/subscriptions/${subscriptionId}/invoices/compute`);
}

/** The customer's invoices as `kind day total`, oldest first. */
async function billed(customerId: string): Promise<string[]> {
  const invoices = await invoicesOf(customerId);
  return invoices.map(({ kind, createdAt, total }) => `${kind} ${createdAt.slice(0, 10)} ${total}`);
}

/** Holds one kind of tasks of a process manager until the function that is returned is called. */
function holdTasks(process: new (...parts: never[]) => ProcessManager, name: string): () => void {
  const manager = system.saga.get<ProcessManager>(process, { strict: false });
  const perform = manager.perform.bind(manager);
  const released = Promise.withResolvers<void>();
  jest.spyOn(manager, 'perform').mockImplementation(async (task) => {
    if (task.name === name) await released.promise;
    return perform(task);
  });
  return released.resolve;
}
