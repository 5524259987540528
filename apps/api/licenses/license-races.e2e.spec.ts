import { describe, expect, it } from '@jest/globals';
import { Licenses } from '#libs/contexts/licenses';
import { beforeCommand, holdCommands } from '../../../test/support/before-command.js';
import { advanceClock, createPlan, Gate, workspacePerTest } from '../../../test/support/index.js';
import { jumpClock } from '../../../test/support/invoicing.js';

const { system, workspace, post, create, invoicesOf } = workspacePerTest({ now: '2026-04-01T00:00:00.000Z' });

/** The middle of April, which has 30 days. A seat of 30 USD a month costs 15 USD from then on. */
const MIDDLE = '2026-04-16T00:00:00.000Z';
const MAY = '2026-05-01T00:00:00.000Z';

/** Subscribes a customer who has two paid seats. */
async function twoSeats() {
  const planId = await createPlan(workspace, {
    name: 'Editor seats',
    licenseTypeId: 'editor',
    cadence: 'monthly',
    timing: 'in_advance',
    config: { model: 'license', unitPrice: 30, currency: 'USD' },
  });
  const customerId: string = (await create('/v1/customers', { name: 'Northwind' })).id;
  const allocate = (): Promise<{ id: string }> =>
    create('/v1/licenses', { customerId, licenseTypeId: 'editor' });
  const [, second] = [await allocate(), await allocate()];
  const { id } = await create('/v1/subscriptions', { customerId, planId });
  await advanceClock(workspace, MIDDLE);
  const totals = async () => (await invoicesOf(customerId)).map(({ total }) => total);
  return { customerId, subscriptionId: id as string, allocate, second, totals };
}

describe('the last seat', () => {
  it('that was paid and freed goes to one of two allocations, and the other one pays', async () => {
    const { allocate, second, totals, customerId } = await twoSeats();
    await post(`/v1/licenses/${second.id}/deactivate`);
    await advanceClock(workspace, MIDDLE);
    // Both allocations are about to be decided. Later, both are about to be counted.
    const [decided, counted] = [new Gate(2), new Gate(2)];
    beforeCommand(system.api, 'AllocateLicense', () => decided.pass());
    beforeCommand(system.saga, 'CountLicenses', () => counted.pass());
    const licenses = await Promise.all([allocate(), allocate()]);
    await advanceClock(workspace, MIDDLE);
    expect(new Set(licenses.map(({ id }) => id)).size).toBe(2);
    expect(await totals()).toEqual([60, 15]);
    const changes = await system.api
      .get(Licenses, { strict: false })
      .changesAfter(workspace.workspaceId, customerId, 0);
    expect(changes.map(({ active }) => active)).toEqual([1, 2, 1, 2, 3]);
    await advanceClock(workspace, MAY);
    expect(await totals()).toEqual([60, 15, 90]);
  });
});

describe('a seat', () => {
  it.each(['CountLicenses', 'CreateInvoice'])(
    'is charged once if the process dies before %s',
    async (command) => {
      const { allocate, totals } = await twoSeats();
      let deaths = 0;
      beforeCommand(system.saga, command, async () => {
        if (++deaths === 1) throw new Error('the process died here');
      });
      await allocate();
      await advanceClock(workspace, MIDDLE);
      expect(deaths).toBeGreaterThan(1);
      expect(await totals()).toEqual([60, 15]);
    },
  );

  it('is charged for the period of its allocation, even if that is over when it is counted', async () => {
    const { subscriptionId, allocate, totals } = await twoSeats();
    const release = holdCommands(system.saga, 'CountLicenses', 'AdvanceSubscription');
    await allocate();
    await jumpClock(system, workspace, MAY);
    await post('/v1/billing/run', { subscriptionId });
    expect(await totals()).toEqual([60, 15, 90]);
    release();
    await advanceClock(workspace, MAY);
    expect(await totals()).toEqual([60, 15, 90]);
  });
});
