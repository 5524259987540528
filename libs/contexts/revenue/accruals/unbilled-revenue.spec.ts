import { describe, expect, it } from '@jest/globals';
import { recordedEvent } from '#libs/kernel/testing';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import {
  B0,
  B1,
  B2,
  B3,
  bill,
  canceled,
  charge,
  created,
  renewed,
  usage,
} from '../../../../test/support/sample-subscription.js';
import { subscriptionAt } from './unbilled-revenue.js';

const [first, second] = [
  bill('cycle', B1, [B0, B1], [charge(usage, B0, B1)]),
  bill('cycle', B2, [B1, B2], [charge(usage, B1, B2)]),
];
/** An outage from February to May: everything that was due is applied on 2 May. */
const LATE = '2026-05-02T00:00:00.000Z';
const history: [SubscriptionEvent, recordedAt: string][] = [
  [created([usage], null), B0],
  [renewed(1, first), LATE],
  [renewed(2, second), LATE],
  [canceled(B3, null), LATE],
];
const events = history.map(([event, occurredAt]) =>
  recordedEvent('subscription-acc_1.sub_1', event, { occurredAt }),
);

describe('a subscription as it was at an instant', () => {
  it.each([
    [B0, 0, []],
    ['2026-02-27T00:00:00.000Z', 0, []],
    [B1, 1, [first]],
    ['2026-03-30T00:00:00.000Z', 1, [first]],
    [B2, 2, [first, second]],
  ])('has at %s passed the ends of periods that were due, though late', (at, index, bills) => {
    const found = subscriptionAt(events, at)!;
    expect(found.subscription).toMatchObject({ phase: 'active', period: { index } });
    expect(found.bills).toEqual(bills);
  });

  it('has ended at its due end, and did not exist before its creation', () => {
    expect(subscriptionAt(events, B3)!.subscription.phase).toBe('canceled');
    expect(subscriptionAt(events, '2026-01-31T09:00:00.000Z')).toBeUndefined();
  });

  it('has no change that was recorded after a later one, though it counts from an earlier instant', () => {
    const counted: SubscriptionEvent = {
      type: 'SubscriptionLicensesCounted',
      data: {
        subscriptionId: 'sub_1',
        customerId: 'cust_1',
        at: B0,
        bill: null,
        licenses: { changes: 1, active: { editor: 1 } },
        items: [],
      },
    };
    const late = [
      ...events.slice(0, 2),
      recordedEvent('subscription-acc_1.sub_1', counted, { occurredAt: LATE }),
    ];
    const before = subscriptionAt(events, '2026-02-27T00:00:00.000Z');
    expect(before!.subscription.items).toHaveLength(1);
    expect(subscriptionAt(late, '2026-02-27T00:00:00.000Z')).toEqual(before);
    expect(subscriptionAt(late, B1)!.subscription.items).toEqual([]);
  });

  it('did not exist before its creation, though it begins in the past and its first periods end before it', () => {
    const backdated = [created([usage], null), renewed(1, first), renewed(2, second)].map((event) =>
      recordedEvent('subscription-acc_1.sub_1', event, { occurredAt: LATE }),
    );
    expect(subscriptionAt(backdated, B1)).toBeUndefined();
    expect(subscriptionAt(backdated, LATE)!.bills).toEqual([first, second]);
  });
});
