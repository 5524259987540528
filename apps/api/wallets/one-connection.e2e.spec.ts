import type { Type } from '@nestjs/common';
import { describe, expect, it, jest } from '@jest/globals';
import { PlannedMigrationFinder } from '#libs/contexts/billing';
import { AllowanceUpdater } from '#libs/contexts/credit-allowances';
import { CreditTypeReferences, WalletReader, WalletStore } from '#libs/contexts/credits';
import { Subscriptions } from '#libs/contexts/subscriptions';
import { AggregateStore, PersonalDataVault, SnapshotUpdater } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import {
  chargedMetric as chargedMetricWith,
  commandContext,
  createPlan,
  withSecondApi,
  workspacePerTest,
} from '../../../test/support/index.js';

const { system, workspace, get, post, create } = workspacePerTest();
const chargedMetric = chargedMetricWith(post);

// A change of a wallet holds a connection. If it needed a second one, as many changes as connections would wait for each other.
describe('a process with one connection to Postgres', () => {
  const settings = { databasePoolSize: 1 };

  it('grants credits with a note, although it must read the key of the customer while the wallet is locked', async () => {
    const { path } = await chargedMetric();
    await withSecondApi(
      system,
      workspace,
      async (second, api) => {
        const vault = api.get(PersonalDataVault, { strict: false });
        const snapshots = api.get(SnapshotUpdater, { strict: false });
        const refresh = snapshots.readNewest.bind(snapshots);
        const spy = jest.spyOn(snapshots, 'readNewest').mockImplementation(async (...args) => {
          vault.dropCachedKeys();
          return refresh(...args);
        });
        await second.post(`${path}/grants`, { amount: 10, description: 'Welcome' }).expect(201);
        expect(spy).toHaveBeenCalled();
      },
      settings,
    );
    expect(await get(path)).toMatchObject({ balance: 10, blocks: [{ description: 'Welcome' }] });
  });

  it('grants an allowance, although it must read the subscription and its key while the wallet is locked', async () => {
    const { customerId, path } = await chargedMetric();
    const fee = { name: 'Base', config: { model: 'flat', amount: 10, currency: 'USD' } } as const;
    const planId = await createPlan(workspace, fee);
    const { id: subscriptionId } = await create('/v1/subscriptions', {
      customerId,
      planId,
      metadata: { contact: 'Ada' },
    });
    await create('/v1/credit-types/ai-credits/allowances', { planId, credits: 1_000, every: 'month' });
    await withSecondApi(
      system,
      workspace,
      async (_, api) => {
        const find = <T>(type: Type<T>): T => api.get(type, { strict: false });
        const [aggregates, references] = [find(AggregateStore), find(CreditTypeReferences)];
        const allowances = new AllowanceUpdater(
          new Subscriptions(aggregates),
          references,
          find(WalletReader),
          find(WalletStore),
          api.get(PlannedMigrationFinder, { strict: false }),
        );
        const allowancesOf = references.allowancesOf.bind(references);
        jest.spyOn(references, 'allowancesOf').mockImplementation(async (...args) => {
          const found = await allowancesOf(...args);
          aggregates.forgetStates();
          find(PersonalDataVault).dropCachedKeys();
          return found;
        });
        const { now } = await find(WorkspaceClock).read(workspace.workspaceId);
        await allowances.updateAllowances(
          commandContext({ workspaceId: workspace.workspaceId, now, mayRepeat: true }),
          subscriptionId as string,
        );
      },
      settings,
    );
    expect(await get(path)).toMatchObject({ balance: 1_000 });
  });
});
