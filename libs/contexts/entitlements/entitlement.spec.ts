import { describe, expect, it } from '@jest/globals';
import { combineEntitlements, type EntitlementSource } from './entitlement.js';
import { presentEntitlement } from './present.js';

const consumption = (metricId: string) => ({
  metricId,
  start: '2026-01-01T00:00:00.000Z',
  end: '2026-02-01T00:00:00.000Z',
});
const ofPlan = (featureId: string, more: Partial<EntitlementSource> = {}): EntitlementSource => ({
  featureId,
  name: featureId.toUpperCase(),
  type: 'numeric',
  limit: null,
  consumption: null,
  pricingModel: null,
  ...more,
});
const ofGrant = (featureId: string, limit: string | null): EntitlementSource => ({
  featureId,
  name: null,
  type: null,
  limit,
  consumption: null,
  pricingModel: null,
});

describe('the entitlements of a customer', () => {
  it('have the most generous limit of all plans and grants', () => {
    const limitOf = (...sources: EntitlementSource[]) => combineEntitlements(sources)[0]!.allocated;
    expect(limitOf(ofPlan('a', { limit: '10' }), ofPlan('a', { limit: '9.5' }))).toBe('10');
    expect(limitOf(ofPlan('a', { limit: '9' }), ofPlan('a', { limit: '10' }))).toBe('10');
    expect(limitOf(ofPlan('a', { limit: '9' }), ofGrant('a', '100'))).toBe('100');
    expect(limitOf(ofPlan('a', { limit: '9' }), ofGrant('a', '5'))).toBe('9');
    expect(limitOf(ofPlan('a', { limit: '9' }), ofGrant('a', null))).toBeNull();
    expect(limitOf(ofPlan('a', { limit: '0' }), ofPlan('a'), ofPlan('a', { limit: '5' }))).toBeNull();
  });

  it('are measured by the most generous plan with a metric, also when a grant has the limit', () => {
    const sources = [
      ofPlan('a', { limit: '5', consumption: consumption('met_small'), pricingModel: 'unit' }),
      ofPlan('a', { limit: '50', consumption: consumption('met_large'), pricingModel: 'graduated' }),
      ofPlan('a', { limit: '60' }),
      ofGrant('a', '100'),
    ];
    expect(combineEntitlements(sources)).toEqual([
      {
        featureId: 'a',
        featureName: 'A',
        type: 'numeric',
        allocated: '100',
        consumption: consumption('met_large'),
        pricingModel: 'graduated',
      },
    ]);
  });

  it('have features of grants alone, which are numeric if they have a limit', () => {
    expect(
      combineEntitlements([ofPlan('sso', { type: 'boolean' }), ofGrant('beta', null), ofGrant('seats', '3')]),
    ).toMatchObject([
      { featureId: 'sso', featureName: 'SSO', type: 'boolean', allocated: null },
      { featureId: 'beta', featureName: 'beta', type: 'boolean', allocated: null },
      { featureId: 'seats', featureName: 'seats', type: 'numeric', allocated: '3' },
    ]);
  });
});

describe('a presented entitlement', () => {
  const shown = (limit: string | null, consumed: string) => {
    const [one] = combineEntitlements([ofPlan('a', { limit })]);
    return JSON.parse(JSON.stringify(presentEntitlement(one!, consumed))) as object;
  };

  it('gives access while less than the limit is consumed', () => {
    const left = (limit: string | null, consumed: string) => shown(limit, consumed);
    expect(left('10', '9.5')).toMatchObject({
      hasAccess: true,
      allocated: 10,
      consumed: 9.5,
      remaining: 0.5,
    });
    expect(left('10', '10')).toMatchObject({ hasAccess: false, remaining: 0 });
    expect(left('10', '12')).toMatchObject({ hasAccess: false, consumed: 12, remaining: 0 });
    expect(left(null, '12')).toMatchObject({ hasAccess: true, allocated: null, remaining: null });
    expect(left('0', '0')).toMatchObject({ hasAccess: false, allocated: 0, remaining: 0 });
  });
});
