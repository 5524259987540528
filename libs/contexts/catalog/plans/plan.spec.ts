import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { type PlanDetails, type PlanEvent } from './events.js';
import { readFeatures, type PlanFeature } from './plan-features.js';
import { readPriceIds } from './plan-input.js';
import { findPlanOffering, planDecider, requirePlan } from './plan.js';
import { presentPlan, presentPlanVersion } from './present.js';

const planId = 'plan_1';
const at = '2026-01-01T00:00:00.000Z';
const later = '2026-02-01T00:00:00.000Z';
const details: PlanDetails = {
  name: 'Growth',
  description: null,
  prices: ['price_a', 'price_b'],
  currency: 'USD',
  features: [],
  trialDays: 0,
  visibility: 'public',
  minimumCommitment: null,
  billingThresholds: null,
};
const created: PlanEvent = { type: 'PlanCreated', data: { planId, at, ...details } };
const updated = (version: number, changes: Partial<PlanDetails>): PlanEvent => ({
  type: 'PlanUpdated',
  data: { planId, version, at: later, ...details, ...changes },
});
const published = (version: number): PlanEvent => ({
  type: 'PlanPublished',
  data: { planId, version, at: later },
});
const restored = (version: number): PlanEvent => ({
  type: 'PlanVersionRestored',
  data: { planId, version, at: later },
});
const overtaken: PlanEvent = { type: 'PlanChangeOvertaken', data: { planId } };
const deleted: PlanEvent = { type: 'PlanDeleted', data: { planId } };

const { given } = decide(planDecider);
const create = (revision = 0) => ({ type: 'CreatePlan', at, planId, revision, details }) as const;
const update = (changes: Partial<PlanDetails>, revision?: number) =>
  ({ type: 'UpdatePlan', at: later, planId, revision, changes }) as const;
const publish = { type: 'PublishPlan', at: later, planId } as const;
const restore = (version: number, revision: number) =>
  ({ type: 'RestorePlanVersion', at: later, planId, revision, version }) as const;
const statuses = (...history: PlanEvent[]) => {
  const { plan } = given(...history).state()!;
  return plan!.versions.map((version) => `${version.version} ${presentPlanVersion(plan!, version).status}`);
};

describe('creating a plan', () => {
  it('publishes version 1 at once', () => {
    given().when(create()).then(created);
    expect(given(created).state()).toEqual({
      revision: 1,
      plan: {
        planId,
        createdAt: at,
        deleted: false,
        versions: [{ version: 1, basedOn: null, createdAt: at, publishedAt: at, ...details }],
        publishedVersion: 1,
        draftVersion: null,
      },
    });
  });

  it('does nothing a second time', () => {
    given(created).when(create()).then();
  });

  it('refuses amounts with a fraction of the smallest unit of its currency', () => {
    const finer: [string, Partial<PlanDetails>][] = [
      ['minimumCommitment', { minimumCommitment: '10.005' }],
      ['minimumCommitment.amount', { minimumCommitment: { amount: '10.005', interval: 'annual' } }],
      ['billingThresholds.amountGte', { billingThresholds: { amountGte: '0.001' } }],
    ];
    for (const [field, amounts] of finer) {
      const command = { ...create(), details: { ...details, ...amounts } };
      given().when(command).refused('validation_failed', field);
      given(created).when(update(amounts)).refused('validation_failed', field);
    }
    const yen = { ...details, currency: 'JPY', minimumCommitment: '10.5' };
    given()
      .when({ ...create(), details: yen })
      .refused('validation_failed', 'minimumCommitment');
  });

  it('is refused when it was overtaken, and succeeds when it starts again', () => {
    given(overtaken).when(create()).refused('concurrent_modification');
    given(overtaken).when(create(1)).then(created);
  });
});

describe('changing a plan', () => {
  it('makes a draft, and replaces it by a further one', () => {
    given(created)
      .when(update({ name: 'Scale' }))
      .then(updated(2, { name: 'Scale' }));
    given(created, updated(2, { name: 'Scale' }))
      .when(update({ description: 'For teams' }))
      .then(updated(3, { name: 'Scale', description: 'For teams' }));
    expect(statuses(created, updated(2, {}), updated(3, {}))).toEqual([
      '1 published',
      '2 superseded',
      '3 draft',
    ]);
  });

  it('makes no version when nothing differs from the latest', () => {
    given(created)
      .when(update({ name: 'Growth', prices: ['price_a', 'price_b'] }))
      .then();
    given(created, updated(2, { name: 'Scale' }))
      .when(update({ name: 'Scale' }))
      .then();
  });

  it('keeps the currency', () => {
    given(created)
      .when(update({ prices: ['price_c'], currency: 'EUR' }))
      .refused('validation_failed', 'prices');
  });

  it('is refused when it names prices and the plan has changed since, and succeeds when it starts again', () => {
    given(created, overtaken)
      .when(update({ prices: ['price_c'] }, 1))
      .refused('concurrent_modification');
    given(created, overtaken)
      .when(update({ prices: ['price_c'] }, 2))
      .then(updated(2, { prices: ['price_c'] }));
  });

  it('does not find a plan that does not exist, is deleted, or was overtaken when it was created', () => {
    given().when(update({})).refused('plan_not_found');
    given(overtaken).when(update({})).refused('plan_not_found');
    given(created, deleted).when(update({})).refused('plan_not_found');
  });
});

describe('publishing a plan', () => {
  it('gives the draft to new subscriptions', () => {
    given(created, updated(2, {})).when(publish).then(published(2));
    expect(statuses(created, updated(2, {}), published(2))).toEqual(['1 superseded', '2 published']);
  });

  it('changes nothing when there is no draft', () => {
    given(created).when(publish).then();
    given(created, updated(2, {}), published(2)).when(publish).then();
  });

  it('does not find a plan that is deleted', () => {
    given(created, deleted).when(publish).refused('plan_not_found');
  });
});

describe('restoring a version', () => {
  const history = [created, updated(2, { name: 'Scale' }), published(2)];

  it('publishes it again, under its own number', () => {
    given(...history)
      .when(restore(1, 3))
      .then(restored(1));
    expect(statuses(...history, restored(1))).toEqual(['1 published', '2 superseded']);
    expect(given(...history, restored(1)).state()?.plan?.versions[0]?.publishedAt).toBe(at);
  });

  it('discards a draft, also for the version that is published already', () => {
    given(created, updated(2, {})).when(restore(1, 2)).then(restored(1));
    expect(statuses(created, updated(2, {}), restored(1))).toEqual(['1 published', '2 superseded']);
  });

  it('publishes a version that was never published before', () => {
    expect(given(created, updated(2, {}), restored(2)).state()?.plan?.versions[1]?.publishedAt).toBe(later);
  });

  it('changes nothing for the version that is published, when there is no draft', () => {
    given(created).when(restore(1, 1)).then();
  });

  it('gives the next version a number after all others', () => {
    given(...history, restored(1))
      .when(update({ name: 'Max' }))
      .then(updated(3, { name: 'Max' }));
  });

  it('does not find a version that does not exist', () => {
    given(created).when(restore(2, 1)).refused('plan_version_not_found');
  });

  it('is refused when the plan has changed since', () => {
    given(...history)
      .when(restore(1, 2))
      .refused('concurrent_modification');
  });
});

describe('a plan that was never created', () => {
  it('is not found', () => {
    expect(() => requirePlan(planId, undefined)).toThrow(expect.objectContaining({ code: 'plan_not_found' }));
  });
});

describe('publishing a plan', () => {
  it('records the time of publication for the published version only', () => {
    const versions = given(created, updated(2, {}), updated(3, {}), published(3)).state()!.plan!.versions;
    expect(versions.map(({ publishedAt }) => publishedAt)).toEqual([at, null, later]);
  });
});

describe('deleting a plan', () => {
  it('is done once', () => {
    given(created).when({ type: 'DeletePlan', planId }).then(deleted);
    given(created, deleted).when({ type: 'DeletePlan', planId }).refused('plan_not_found');
    expect(given(created, deleted).state()).toMatchObject({ revision: 2, plan: { planId, deleted: true } });
    for (const history of [[overtaken], []])
      given(...history)
        .when({ type: 'DeletePlan', planId })
        .refused('plan_not_found');
  });
});

describe('overtaking a change', () => {
  it('moves the revision on before a change has arrived, and does nothing after it has', () => {
    given().when({ type: 'StopPlanChange', planId, revision: 1 }).then(overtaken);
    given(created).when({ type: 'StopPlanChange', planId, revision: 1 }).then();
    given(created).when({ type: 'StopPlanChange', planId, revision: 2 }).then(overtaken);
  });
});

describe('offering a price', () => {
  const other = updated(2, { prices: ['price_c'] });
  const offered = (priceId: string, ...history: PlanEvent[]) =>
    findPlanOffering(given(...history).state(), priceId) !== undefined;

  it('holds for the published version and for the draft', () => {
    expect(offered('price_a', created, other)).toBe(true);
    expect(offered('price_c', created, other)).toBe(true);
    expect(offered('price_a', created, other, published(2))).toBe(false);
    expect(offered('price_c', created, other, restored(1))).toBe(false);
  });

  it('does not hold for a plan that is deleted, was overtaken or was never created', () => {
    expect(offered('price_a', created, deleted)).toBe(false);
    expect(offered('price_a', overtaken)).toBe(false);
    expect(findPlanOffering(undefined, 'price_a')).toBeUndefined();
  });
});

describe('a plan in the API', () => {
  it('shows the draft, and which version is published', () => {
    const { plan } = given(created, updated(2, { name: 'Scale', prices: ['price_c'] })).state()!;
    expect(presentPlan(plan!)).toEqual({
      id: planId,
      name: 'Scale',
      nameTranslations: {},
      description: null,
      prices: [{ priceId: 'price_c' }],
      currency: 'USD',
      features: [],
      trialDays: 0,
      visibility: 'public',
      minimumCommitment: null,
      billingThresholds: null,
      version: 2,
      status: 'draft',
      publishedVersion: 1,
      createdAt: at,
      updatedAt: later,
    });
  });
});

describe('the differences between versions', () => {
  const seats: PlanFeature = { featureId: 'seats', name: 'Seats', type: 'numeric', limit: '5' };
  const sso: PlanFeature = { featureId: 'sso', name: 'SSO', type: 'boolean', limit: null };
  const shown = (...history: PlanEvent[]) => {
    const { plan } = given(...history).state()!;
    const versions = plan!.versions.map((version) => presentPlanVersion(plan!, version));
    return JSON.parse(JSON.stringify(versions)) as typeof versions;
  };

  it('are to the version that each was edited from, which can be a restored version', () => {
    const history = [
      created,
      updated(2, { name: 'Scale', prices: ['price_c', 'price_b'], trialDays: 14 }),
      published(2),
      restored(1),
      updated(3, { visibility: 'hidden' }),
    ];
    expect(shown(...history).map(({ version, basedOn, changes }) => ({ version, basedOn, changes }))).toEqual(
      [
        { version: 1, basedOn: null, changes: [] },
        {
          version: 2,
          basedOn: 1,
          changes: [
            { field: 'name', from: 'Growth', to: 'Scale' },
            { field: 'trialDays', from: 0, to: 14 },
            { field: 'prices', added: ['price_c'], removed: ['price_a'] },
          ],
        },
        { version: 3, basedOn: 1, changes: [{ field: 'visibility', from: 'public', to: 'hidden' }] },
      ],
    );
  });

  it('list the features that were added, removed and changed', () => {
    const api = { ...sso, featureId: 'api', name: 'API' };
    const unmeasured = { metricId: null, resets: null };
    const history = [
      created,
      updated(2, { features: [seats, sso] }),
      updated(3, { features: [{ ...seats, limit: null }, api] }),
    ];
    expect(shown(...history)[2]!.changes).toEqual([
      {
        field: 'features',
        added: [{ ...api, ...unmeasured }],
        removed: [{ ...sso, ...unmeasured }],
        changed: [
          { from: { ...seats, ...unmeasured, limit: 5 }, to: { ...seats, ...unmeasured, limit: null } },
        ],
      },
    ]);
  });

  it('have only the order if nothing else differs', () => {
    const history = [
      created,
      updated(2, { features: [seats, sso] }),
      updated(3, { prices: ['price_b', 'price_a'], features: [sso, seats] }),
    ];
    expect(shown(...history)[2]!.changes).toEqual([
      { field: 'prices', added: [], removed: [], reordered: true },
      { field: 'features', added: [], removed: [], changed: [], reordered: true },
    ]);
  });
});

describe('the features of a plan in a request', () => {
  it('are completed: the name is the id, the type follows from the limit', () => {
    expect(
      readFeatures([
        { featureId: 'seats', limit: 5 },
        { featureId: 'sso', name: 'Single sign-on' },
        { featureId: 'rows', type: 'numeric', limit: null },
        { featureId: 'tokens', metricId: 'met_1' },
        { featureId: 'credits', metricId: 'met_1', limit: 5, resets: 'never' },
      ]),
    ).toEqual([
      { featureId: 'seats', name: 'seats', type: 'numeric', limit: '5' },
      { featureId: 'sso', name: 'Single sign-on', type: 'boolean', limit: null },
      { featureId: 'rows', name: 'rows', type: 'numeric', limit: null },
      {
        featureId: 'tokens',
        name: 'tokens',
        type: 'numeric',
        limit: null,
        metricId: 'met_1',
        resets: 'period',
      },
      {
        featureId: 'credits',
        name: 'credits',
        type: 'numeric',
        limit: '5',
        metricId: 'met_1',
        resets: 'never',
      },
    ]);
    expect(readFeatures(Array.from({ length: 100 }, (_, i) => ({ featureId: `f${i}` })))).toHaveLength(100);
    const longest = { featureId: 'a', name: 'x'.repeat(200), limit: 0.123456789012345 };
    expect(readFeatures([longest])).toEqual([{ ...longest, type: 'numeric', limit: '0.123456789012345' }]);
    expect(readFeatures([{ featureId: 'a', type: 'boolean' }])).toMatchObject([
      { type: 'boolean', limit: null },
    ]);
  });

  it.each([[[null, 7]], [[{ featureId: 5 }, { featureId: 5 }]]])(
    'have each thing wrong said once: %j',
    (input) => {
      expect(() => readFeatures(input)).toThrow(
        expect.objectContaining({ details: [expect.anything(), expect.anything()] }),
      );
    },
  );

  it.each<[unknown, string]>([
    [{}, 'features must be a list'],
    [[null], 'features[0] must be an object'],
    [[{ featureId: 'a', name: 5 }], 'features[0].name must be text'],
    [[{ featureId: 'a', name: 'x'.repeat(201) }], 'features[0].name must be text'],
    [[{ featureId: 'a', limit: 1e-16 }], 'features[0].limit must be a number'],
    [Array.from({ length: 101 }, (_, i) => ({ featureId: `f${i}` })), 'at most 100 features'],
    [['seats'], 'features[0] must be an object'],
    [[{}], 'features[0].featureId is required'],
    [[{ featureId: '..' }], 'features[0].featureId must be'],
    [[{ featureId: 'a', name: ' ' }], 'features[0].name must be text'],
    [[{ featureId: 'a', type: 'text' }], 'features[0].type must be one of boolean, numeric'],
    [[{ featureId: 'a', limit: '5' }], 'features[0].limit must be a number'],
    [[{ featureId: 'a', limit: -1 }], 'features[0].limit must be a number that is not negative'],
    [[{ featureId: 'a', type: 'boolean', limit: 1 }], 'features[0].limit is only for a numeric feature'],
    [[{ featureId: 'a', cap: 1 }], 'features[0].cap is not a field'],
    [[{ featureId: 'a', metricId: 5 }], 'features[0].metricId must be the id of a metric'],
    [
      [{ featureId: 'a', type: 'boolean', metricId: 'met_1' }],
      'features[0].metricId is only for a numeric feature',
    ],
    [
      [{ featureId: 'a', metricId: 'met_1', resets: 'day' }],
      'features[0].resets must be one of period, never',
    ],
    [[{ featureId: 'a', resets: 'period' }], 'features[0].resets is only for a feature with a metricId'],
    [[{ featureId: 'a' }, { featureId: 'a' }], 'features[1].featureId must not repeat "a"'],
  ])('are refused when %j', (input, message) => {
    expect(() => readFeatures(input)).toThrow(message);
  });
});

describe('the prices of a plan in a request', () => {
  it('are objects or only ids', () => {
    expect(readPriceIds([{ priceId: 'price_a' }, 'price_b'])).toEqual(['price_a', 'price_b']);
  });

  it.each<[unknown, string]>([
    [undefined, 'prices must be a list of 1 to 50 prices'],
    [{}, 'prices must be a list'],
    [[], 'prices must be a list of 1 to 50 prices'],
    [Array.from({ length: 51 }, (_, i) => `price_${i}`), 'prices must be a list of 1 to 50 prices'],
    [['price_a', 5], 'prices[1] must be an object with priceId, or a price id'],
    [[null], 'prices[0] must be an object'],
    [[['price_a']], 'prices[0] must be an object'],
    [[''], 'prices[0] must be a price id'],
    [[{}], 'prices[0].priceId is required'],
    [[{ priceId: 7 }], 'prices[0].priceId must be a price id'],
    [[{ priceId: 'price_a', quantity: 2 }], 'prices[0].quantity is not a field'],
    [['price_a', { priceId: 'price_a' }], 'prices[1] must not repeat the price "price_a"'],
  ])('are refused when %j', (input, message) => {
    expect(() => readPriceIds(input)).toThrow(message);
  });
});
