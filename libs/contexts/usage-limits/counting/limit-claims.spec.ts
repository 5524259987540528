import { describe, expect, it } from '@jest/globals';
import type { CustomerCalendar } from '../windows/limit-window.js';
import type { LimitClaim } from './limit-claims.js';
import { createClaimFinder } from './limit-claims.js';
import type { LimitRule } from './limit-rule.js';

const utc: CustomerCalendar = { timezone: 'UTC', subscriptions: [] };
const rule = (limitId: string, more: Partial<LimitRule> = {}): LimitRule => ({
  limitId,
  customerId: null,
  limit: '10',
  per: 'day',
  action: 'block',
  warnAt: [],
  metric: {
    metricId: 'met_1',
    version: 1,
    workspaceId: 'acc_1',
    eventName: 'tokens',
    aggregation: { type: 'sum', property: 'count', filter: { region: 'eu' } },
  },
  ...more,
});
const event = (timestamp: string, properties: Record<string, unknown>) => ({
  customerId: 'cust_1',
  eventName: 'tokens',
  timestamp,
  properties,
});
const shown = (claims: readonly object[] | undefined) =>
  (claims as readonly LimitClaim[] | undefined)?.map(
    ({ rule: { limitId }, window, value }) => `${limitId} ${window.start} ${value.toFixed()}`,
  );

describe('the claims of an event on limits', () => {
  it('are its values in the windows of its own time', () => {
    const claimsOf = createClaimFinder(
      () => [rule('lim_a'), rule('lim_b', { per: 'month' })],
      () => utc,
    );
    expect(shown(claimsOf(event('2026-01-15T23:59:59.999999Z', { count: 2.5, region: 'eu' })))).toEqual([
      'lim_a 2026-01-15T00:00:00.000Z 2.5',
      'lim_b 2026-01-01T00:00:00.000Z 2.5',
    ]);
    expect(shown(claimsOf(event('2026-01-16T00:00:00.000000Z', { count: '7', region: 'eu' })))).toEqual([
      'lim_a 2026-01-16T00:00:00.000Z 7',
      'lim_b 2026-01-01T00:00:00.000Z 7',
    ]);
  });

  it('are none if the filter excludes it, or it has no value, or another name', () => {
    const claimsOf = createClaimFinder(
      () => [rule('lim_a')],
      () => utc,
    );
    const at = '2026-01-15T00:00:00.000000Z';
    expect(claimsOf(event(at, { count: 1, region: 'us' }))).toBeUndefined();
    expect(claimsOf(event(at, { region: 'eu' }))).toBeUndefined();
    expect(claimsOf({ ...event(at, { count: 1, region: 'eu' }), eventName: 'calls' })).toBeUndefined();
  });

  it('are on the limits of its customer', () => {
    const claimsOf = createClaimFinder(
      (customerId) => (customerId === 'cust_1' ? [rule('lim_a')] : []),
      () => utc,
    );
    const one = event('2026-01-15T00:00:00.000000Z', { count: 1, region: 'eu' });
    expect(shown(claimsOf(one))).toEqual(['lim_a 2026-01-15T00:00:00.000Z 1']);
    expect(claimsOf({ ...one, customerId: 'cust_2' })).toBeUndefined();
  });
});
