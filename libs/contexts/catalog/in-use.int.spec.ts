import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newUlid } from '#libs/kernel/system';
import { AggregateStore, type CommandContext, type CommandResult } from '#libs/kernel/event-store';
import { aggregateId, type Decider, type DomainEvent } from '#libs/kernel/domain';
import type { ApprovalGate, HeldCommandRegistry } from '#libs/contexts/approvals';
import { TaxRates } from '#libs/contexts/taxes';
import { SqlMetrics } from '#libs/usage';
import { vocabulary } from '#libs/manifest';
import { commandContext, startStorage, type TestStorage } from '../../../test/support/index.js';
import { Catalog } from './catalog.js';
import { CreateMetric, CreateMetricHandler } from './metrics/commands/create-metric.js';
import { DeleteMetric, DeleteMetricHandler } from './metrics/commands/delete-metric.js';
import { UpdateMetric, UpdateMetricHandler } from './metrics/commands/update-metric.js';
import { ChangePlan, ChangePlanHandler } from './plans/commands/change-plan.js';
import { CreatePlan, CreatePlanHandler } from './plans/commands/create-plan.js';
import { RestorePlanVersion, RestorePlanVersionHandler } from './plans/commands/restore-plan-version.js';
import { UpdatePlan, UpdatePlanHandler } from './plans/commands/update-plan.js';
import { planDecider } from './plans/plan.js';
import { PlanPublicationGate } from './plans/plan-publication-gate.js';
import { PriceReferences } from './plans/price-references.js';
import { CreatePrice, CreatePriceHandler } from './prices/commands/create-price.js';
import { DeletePrice, DeletePriceHandler } from './prices/commands/delete-price.js';
import { UpdatePrice, UpdatePriceHandler } from './prices/commands/update-price.js';
import { readPriceChanges, type PriceInput } from './prices/price-input.js';
import { priceDecider } from './prices/price.js';

let storage: TestStorage;
let workspaceId: string;

beforeAll(async () => {
  storage = await startStorage(vocabulary());
});
afterAll(async () => storage?.stop());
beforeEach(() => {
  workspaceId = `acc_${newUlid()}`;
});

describe('a metric and the prices that charge for it', () => {
  it('is not deleted while a price charges for it, and is deleted after the price', async () => {
    const one = newProcess();
    const metricId = await one.createMetric();
    const priceId = await one.createPrice(metricId);
    await expect(one.deleteMetric(metricId)).rejects.toEqual(refusedAs('metric_in_use'));
    await one.deletePrice(priceId);
    await one.deleteMetric(metricId);
    await expect(one.createPrice(metricId)).rejects.toEqual(refusedAs('metric_not_found'));
  });

  it('can still be measured once it is deleted', async () => {
    const { catalog, ...one } = newProcess();
    const metricId = await one.createMetric();
    await one.deleteMetric(metricId);
    await expect(catalog.requireMetric(workspaceId, metricId)).rejects.toEqual(refusedAs('metric_not_found'));
    expect(await catalog.metricDefinition(workspaceId, metricId)).toEqual({
      metricId,
      version: 1,
      workspaceId,
      eventName: 'request',
      aggregation: { type: 'count' },
    });
  });

  it('when it is deleted while a price is being created, the price is not created', async () => {
    const [maker, deleter] = [newProcess(), newProcess()];
    const metricId = await maker.createMetric();
    const making = maker.store.hold('CreatePrice');
    const price = maker.createPrice(metricId);
    await making.arrived;
    await deleter.deleteMetric(metricId);
    making.release();
    await expect(price).rejects.toEqual(refusedAs('metric_not_found'));
    expect(await events('metric', metricId)).toEqual(['MetricCreated', 'MetricReferenced', 'MetricDeleted']);
  });

  it('is not deleted when a price is created between the check of its references and the deletion', async () => {
    const [maker, deleter] = [newProcess(), newProcess()];
    const metricId = await maker.createMetric();
    const deleting = deleter.store.hold('DeleteMetric');
    const deletion = deleter.deleteMetric(metricId);
    await deleting.arrived;
    await maker.createPrice(metricId);
    deleting.release();
    await expect(deletion).rejects.toEqual(refusedAs('metric_in_use'));
  });

  it('lets a price be created after all when the deletion that overtook it was refused', async () => {
    const [slow, quick, deleter] = [newProcess(), newProcess(), newProcess()];
    const metricId = await slow.createMetric();
    const making = slow.store.hold('CreatePrice');
    const overtaken = slow.createPrice(metricId);
    await making.arrived;
    const deleting = deleter.store.hold('DeleteMetric');
    const deletion = deleter.deleteMetric(metricId);
    await deleting.arrived;
    await quick.createPrice(metricId);
    deleting.release();
    await expect(deletion).rejects.toEqual(refusedAs('metric_in_use'));
    making.release();
    expect(await events('price', await overtaken)).toEqual(['PriceChangeOvertaken', 'PriceCreated']);
  });

  it('can be deleted although the creation of a price for it died half-way', async () => {
    const [dying, deleter] = [newProcess(), newProcess()];
    const metricId = await dying.createMetric();
    const making = dying.store.hold('CreatePrice');
    void dying.createPrice(metricId);
    await making.arrived;
    expect(await events('metric', metricId)).toEqual(['MetricCreated', 'MetricReferenced']);
    await deleter.deleteMetric(metricId);
    expect(await events('metric', metricId)).toContain('MetricDeleted');
  });

  it('when it is deleted while a price is being moved to it, the price stays where it was', async () => {
    const [mover, deleter] = [newProcess(), newProcess()];
    const [from, to] = [await mover.createMetric(), await mover.createMetric()];
    const priceId = await mover.createPrice(from);
    const moving = mover.store.hold('UpdatePrice');
    const moved = mover.updatePrice(priceId, { metricId: to });
    await moving.arrived;
    await deleter.deleteMetric(to);
    moving.release();
    await expect(moved).rejects.toEqual(refusedAs('metric_not_found'));
    expect(await events('price', priceId)).toEqual(['PriceCreated', 'PriceChangeOvertaken']);
    await expect(deleter.deleteMetric(from)).rejects.toEqual(refusedAs('metric_in_use'));
  });

  it('never leaves a price on a deleted metric, in whatever order the two run', async () => {
    const [maker, deleter] = [newProcess(), newProcess()];
    for (let round = 0; round < 25; round++) {
      const metricId = await maker.createMetric();
      const [made, removed] = await Promise.allSettled([
        maker.createPrice(metricId),
        deleter.deleteMetric(metricId),
      ]);
      expect([made.status, removed.status].sort()).toEqual(['fulfilled', 'rejected']);
      const deleted = (await events('metric', metricId)).includes('MetricDeleted');
      expect(deleted).toBe(removed.status === 'fulfilled');
    }
  });
});

describe('a change of a metric that prices charge for', () => {
  const sum = { type: 'sum', property: 'volume', groupBy: ['region'] };
  const percentage = { model: 'percentage', rate: 2.9, currency: 'USD' };
  const matrix = {
    model: 'matrix',
    dimensions: ['region'],
    currency: 'USD',
    defaultUnitPrice: 1,
    cells: [{ values: ['eu'], unitPrice: 2 }],
  };

  it('is refused if a price could not charge for it, also by an earlier version', async () => {
    const one = newProcess();
    const metricId = await one.createMetric(sum);
    const priceId = await one.createPrice(metricId, context(), percentage);
    const grouped = await one.createPrice(metricId, context(), matrix);
    const toMax = { ...sum, type: 'max' };
    const ungrouped = { type: 'sum', property: 'volume' };
    await one.updatePrice(priceId, { config: unit });
    await expect(one.updateMetric(metricId, toMax)).rejects.toEqual(refusedAs('metric_in_use'));
    await expect(one.updateMetric(metricId, ungrouped)).rejects.toEqual(refusedAs('metric_in_use'));
    await one.updateMetric(metricId, { ...sum, property: 'amount', groupBy: ['plan', 'region'] });
    await one.deletePrice(priceId);
    await one.updateMetric(metricId, toMax);
    await one.deletePrice(grouped);
    await one.updateMetric(metricId, ungrouped);
  });

  it('is made while such a price is being created, and then the price is not created', async () => {
    const [maker, changer] = [newProcess(), newProcess()];
    const metricId = await maker.createMetric(sum);
    const making = maker.store.hold('CreatePrice');
    const price = maker.createPrice(metricId, context(), percentage);
    await making.arrived;
    await changer.updateMetric(metricId, { type: 'count' });
    making.release();
    await expect(price).rejects.toEqual(refusedAs('validation_failed'));
  });

  it('is refused if such a price is created between the check of the prices and the change', async () => {
    const [maker, changer] = [newProcess(), newProcess()];
    const metricId = await maker.createMetric(sum);
    const changing = changer.store.hold('UpdateMetric');
    const change = changer.updateMetric(metricId, { type: 'count' });
    await changing.arrived;
    await maker.createPrice(metricId, context(), percentage);
    changing.release();
    await expect(change).rejects.toEqual(refusedAs('metric_in_use'));
  });
});

describe('a price and the plans that offer it', () => {
  it('is not deleted while the published version or a draft offers it', async () => {
    const one = newProcess();
    const [a, b] = [await one.createPrice(null), await one.createPrice(null)];
    const planId = await one.createPlan([a]);
    await expect(one.deletePrice(a)).rejects.toEqual(refusedAs('price_in_use'));
    await one.updatePlan(planId, [b]);
    await expect(one.deletePrice(a)).rejects.toEqual(refusedAs('price_in_use'));
    await expect(one.deletePrice(b)).rejects.toEqual(refusedAs('price_in_use'));
    await one.publishPlan(planId);
    await one.deletePrice(a);
    await expect(one.restorePlan(planId, 1)).rejects.toEqual(refusedAs('price_deleted'));
    await one.deletePlan(planId);
    await one.deletePrice(b);
  });

  it('when it is deleted while a plan is being created, the plan is not created', async () => {
    const [maker, deleter] = [newProcess(), newProcess()];
    const priceId = await maker.createPrice(null);
    const making = maker.store.hold('CreatePlan');
    const plan = maker.createPlan([priceId]);
    await making.arrived;
    await deleter.deletePrice(priceId);
    making.release();
    await expect(plan).rejects.toEqual(refusedAs('price_not_found'));
    expect(await events('price', priceId)).toEqual(['PriceCreated', 'PriceReferenced', 'PriceDeleted']);
  });

  it('when it is deleted while it is being added to a plan, the plan stays as it was', async () => {
    const [maker, deleter] = [newProcess(), newProcess()];
    const [a, b] = [await maker.createPrice(null), await maker.createPrice(null)];
    const planId = await maker.createPlan([a]);
    const updating = maker.store.hold('UpdatePlan');
    const update = maker.updatePlan(planId, [a, b]);
    await updating.arrived;
    await deleter.deletePrice(b);
    updating.release();
    await expect(update).rejects.toMatchObject({
      code: 'price_not_found',
      missing: { resource: 'price', id: b },
    });
    expect(await events('plan', planId)).toEqual(['PlanCreated', 'PlanChangeOvertaken']);
  });

  it('when it is deleted while an earlier version with it is being restored, the version is not restored', async () => {
    const [restorer, deleter] = [newProcess(), newProcess()];
    const [a, b] = [await restorer.createPrice(null), await restorer.createPrice(null)];
    const planId = await restorer.createPlan([a]);
    await restorer.updatePlan(planId, [b]);
    await restorer.publishPlan(planId);
    const restoring = restorer.store.hold('RestorePlanVersion');
    const restored = restorer.restorePlan(planId, 1);
    await restoring.arrived;
    await deleter.deletePrice(a);
    restoring.release();
    await expect(restored).rejects.toEqual(refusedAs('price_deleted'));
    expect((await restorer.catalog.requirePlan(workspaceId, planId)).publishedVersion).toBe(2);
  });

  it('is not deleted when a plan is created between the check of its references and the deletion', async () => {
    const [maker, deleter] = [newProcess(), newProcess()];
    const priceId = await maker.createPrice(null);
    const deleting = deleter.store.hold('DeletePrice');
    const deletion = deleter.deletePrice(priceId);
    await deleting.arrived;
    await maker.createPlan([priceId]);
    deleting.release();
    await expect(deletion).rejects.toEqual(refusedAs('price_in_use'));
  });
});

describe('the interval of a minimum commitment', () => {
  it('does not become shorter than the billing interval by a change of a price', async () => {
    const one = newProcess();
    const priceId = await one.createPrice(null);
    const planId = await one.createPlan([priceId], context(), { amount: 10, interval: 'quarterly' });
    await one.updatePrice(priceId, { cadence: 'quarterly' });
    await expect(one.updatePrice(priceId, { cadence: 'annual' })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'cadence' }],
    });
    // Another price keeps the billing interval short.
    await one.updatePlan(planId, [priceId, await one.createPrice(null)]);
    await one.publishPlan(planId);
    await one.updatePrice(priceId, { cadence: 'annual' });
    await expect(one.restorePlan(planId, 1)).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'minimumCommitment.interval' }],
    });
    await one.updatePrice(priceId, { cadence: 'monthly' });
    await one.restorePlan(planId, 1);
  });
});

describe('a command that runs again', () => {
  it('creates one plan, also after it died between the references and the plan', async () => {
    const [dying, again] = [newProcess(), newProcess()];
    const priceId = await dying.createPrice(null);
    const as = context({ mayRepeat: true });
    const making = dying.store.hold('CreatePlan');
    void dying.createPlan([priceId], as);
    await making.arrived;
    const planId = await again.createPlan([priceId], as);
    expect(await again.createPlan([priceId], as)).toBe(planId);
    expect(await events('plan', planId)).toEqual(['PlanCreated']);
    expect(await events('price', priceId)).toEqual(['PriceCreated', 'PriceReferenced']);
  });

  it('creates one price, with one reference', async () => {
    const one = newProcess();
    const metricId = await one.createMetric();
    const as = context({ mayRepeat: true });
    const priceId = await one.createPrice(metricId, as);
    expect(await newProcess().createPrice(metricId, as)).toBe(priceId);
    expect(await events('metric', metricId)).toEqual(['MetricCreated', 'MetricReferenced']);
  });
});

describe('two changes of one plan at once', () => {
  it('both count, each as a version of its own', async () => {
    const [slow, quick] = [newProcess(), newProcess()];
    const [a, b, c] = [
      await slow.createPrice(null),
      await slow.createPrice(null),
      await slow.createPrice(null),
    ];
    const planId = await slow.createPlan([a]);
    const updating = slow.store.hold('UpdatePlan');
    const second = slow.updatePlan(planId, [c]);
    await updating.arrived;
    await quick.updatePlan(planId, [b]);
    updating.release();
    expect((await second).versions.map(({ prices }) => prices)).toEqual([[a], [b], [c]]);
  });
});

describe('the plan of a subscription that starts now', () => {
  it('is the published version with the newest version of each price', async () => {
    const { store, catalog, ...one } = newProcess();
    const metricId = await one.createMetric();
    const priceId = await one.createPrice(metricId);
    const planId = await one.createPlan([priceId]);
    await one.updatePlan(planId, [await one.createPrice(null)]);
    const config = { model: 'unit', unitPrice: 0.02, currency: 'USD' };
    await new UpdatePriceHandler(store, new TaxRates(store), openGate, noHeldCommands).execute(
      new UpdatePrice(context(), priceId, readPriceChanges({ config })),
    );
    expect(await catalog.resolvePlan(workspaceId, planId)).toEqual({
      planId,
      planVersion: 1,
      name: 'Growth',
      currency: 'USD',
      prices: [
        {
          priceId,
          version: 2,
          name: 'Requests',
          config: { model: 'unit', unitPrice: '0.02', currency: 'USD' },
          cadence: 'monthly',
          timing: 'in_arrears',
          metricId,
        },
      ],
      trialDays: 0,
    });
  });

  it("is not another workspace's plan, or a deleted one", async () => {
    const { catalog, ...one } = newProcess();
    const planId = await one.createPlan([await one.createPrice(null)]);
    await expect(catalog.resolvePlan('acc_other', planId)).rejects.toEqual(refusedAs('plan_not_found'));
    await one.deletePlan(planId);
    await expect(catalog.resolvePlan(workspaceId, planId)).rejects.toEqual(refusedAs('plan_not_found'));
    expect((await one.store.load(planDecider, aggregateId(workspaceId, planId)))?.plan?.deleted).toBe(true);
    expect(await one.store.load(priceDecider, aggregateId('acc_other', planId))).toBeUndefined();
  });
});

/** An aggregate store that stops before the first command of one type, until it is released. */
class HeldStore extends AggregateStore {
  private held: { type: string; arrive: () => void; released: Promise<void> } | undefined;

  hold(type: string): { arrived: Promise<void>; release: () => void } {
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.held = { type, arrive: arrived.resolve, released: released.promise };
    return { arrived: arrived.promise, release: released.resolve };
  }

  override async execute<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: string,
    context: CommandContext,
    command: Command,
  ): Promise<CommandResult<State, Event>> {
    const { held } = this;
    if (held && (command as { type: string }).type === held.type) {
      this.held = undefined;
      held.arrive();
      await held.released;
    }
    return super.execute(decider, id, context, command);
  }
}

const unit = { model: 'unit', unitPrice: 0.01, currency: 'USD' };

/** The catalog's commands as one process runs them, on a store of its own. */
function newProcess() {
  const store = new HeldStore(storage.client, storage.newCodec());
  const references = new PriceReferences(store);
  return {
    store,
    catalog: new Catalog(store),
    createMetric: async (aggregation: object = { type: 'count' }) => {
      const command = new CreateMetric(context(), { name: 'request', aggregation });
      return (await new CreateMetricHandler(store, new SqlMetrics(storage.pool)).execute(command)).metricId;
    },
    updateMetric: (metricId: string, aggregation: object) =>
      new UpdateMetricHandler(store, new SqlMetrics(storage.pool), openGate, noHeldCommands).execute(
        new UpdateMetric(context(), metricId, { aggregation }),
      ),
    deleteMetric: (metricId: string) =>
      new DeleteMetricHandler(store).execute(new DeleteMetric(context(), metricId)),
    createPrice: async (metricId: string | null, as = context(), config: object = unit) => {
      const command = new CreatePrice(as, { name: 'Requests', config, metricId });
      return (await new CreatePriceHandler(store, new TaxRates(store)).execute(command)).priceId;
    },
    updatePrice: (priceId: string, changes: Partial<PriceInput>) =>
      new UpdatePriceHandler(store, new TaxRates(store), openGate, noHeldCommands).execute(
        new UpdatePrice(context(), priceId, readPriceChanges(changes)),
      ),
    deletePrice: (priceId: string) =>
      new DeletePriceHandler(store).execute(new DeletePrice(context(), priceId)),
    createPlan: async (prices: string[], as = context(), minimumCommitment?: object) => {
      const command = new CreatePlan(as, { name: 'Growth', prices, minimumCommitment });
      return (await new CreatePlanHandler(store, references).execute(command)).planId;
    },
    updatePlan: (planId: string, prices: string[]) =>
      new UpdatePlanHandler(store, references).execute(new UpdatePlan(context(), planId, { prices })),
    restorePlan: (planId: string, version: number) =>
      new RestorePlanVersionHandler(store, references, publicationGate(store), noHeldCommands).execute(
        new RestorePlanVersion(context(), planId, version),
      ),
    publishPlan: (planId: string) =>
      new ChangePlanHandler(store, publicationGate(store), noHeldCommands).execute(
        new ChangePlan(context(), { type: 'PublishPlan', at: '2026-01-02T00:00:00.000Z', planId }),
      ),
    deletePlan: (planId: string) =>
      new ChangePlanHandler(store, publicationGate(store), noHeldCommands).execute(
        new ChangePlan(context(), { type: 'DeletePlan', planId }),
      ),
  };
}

/** No policy needs an approval here. */
const openGate = { requireApprovalIfNeeded: () => Promise.resolve() } as unknown as ApprovalGate;
const noHeldCommands = { register: () => undefined } as unknown as HeldCommandRegistry;
const publicationGate = (store: AggregateStore) => new PlanPublicationGate(store, openGate);

function context(more: Partial<CommandContext> = {}): CommandContext {
  return commandContext({ workspaceId, ...more });
}

/** The types of the events of a stream, in order. */
async function events(category: string, id: string): Promise<string[]> {
  const types: string[] = [];
  for await (const { event } of storage.client.readStream(`${category}-${aggregateId(workspaceId, id)}`))
    types.push(event!.type);
  return types;
}

function refusedAs(code: string): unknown {
  return expect.objectContaining({ code });
}
