import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  about,
  B0,
  B1,
  canceled,
  created,
  subscriptionId,
  usage,
} from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider } from '../decider.js';
import type { ClaimedExternalId, SubscriptionDetails, SubscriptionEvent } from '../events.js';
import { billingThresholdsOf } from '../subscription.js';
import type { DetailsChange } from './change-details.js';

const { given } = decide(subscriptionDecider);
const at = '2026-02-10T00:00:00.000Z';
const change = (details: DetailsChange, externalIdBefore: string | null = null) =>
  ({ type: 'ChangeDetails', subscriptionId, details, externalIdBefore, at }) as const;
const changed = (
  details: Partial<SubscriptionDetails> & { formerExternalId?: ClaimedExternalId },
): SubscriptionEvent => ({
  type: 'SubscriptionDetailsChanged',
  data: { ...about, at, ...details },
});
const before = created([usage], null);
const all = { metadata: { deal: 'D-1' }, externalId: 'order-1', ownBillingThresholds: { amountGte: '50' } };

describe('a change of details', () => {
  it('records what it names, and keeps the rest', () => {
    given(before)
      .when(change({ metadata: all.metadata, externalId: 'order-1', billingThresholds: { amountGte: '50' } }))
      .then(changed(all));
    given(before, changed(all))
      .when(change({ externalId: 'order-2' }, 'order-1'))
      .then(changed({ externalId: 'order-2' }));
    const state = given(before, changed(all), changed({ externalId: 'order-2' })).state()!;
    expect(state).toMatchObject({ metadata: { deal: 'D-1' }, externalId: 'order-2' });
    expect(billingThresholdsOf(state)).toEqual({ amountGte: '50' });
  });

  it('names the claim of the external id that it gives up, and of no other', () => {
    const formerExternalId = { hash: 'ext_1', claimId: 'request_1' };
    given(before, changed(all))
      .when({ ...change({ externalId: 'order-2' }, 'order-1'), formerExternalId })
      .then(changed({ externalId: 'order-2', formerExternalId }));
    given(before, changed(all))
      .when({ ...change({ externalId: 'order-1', metadata: {} }, 'order-1'), formerExternalId })
      .then(changed({ metadata: {} }));
  });

  it('records nothing if nothing differs', () => {
    given(before, changed(all))
      .when(change({ metadata: { deal: 'D-1' } }))
      .then();
    given(before, changed(all))
      .when(change({ externalId: 'order-1' }))
      .then();
    given(before, changed(all))
      .when(change({ billingThresholds: { amountGte: '50' } }))
      .then();
    given(before)
      .when(change({ externalId: null }))
      .then();
    given(before).when(change({})).then();
  });

  it('replaces all metadata, and null takes the id and the thresholds away', () => {
    given(before, changed(all))
      .when(change({ metadata: {} }))
      .then(changed({ metadata: {} }));
    given(before, changed(all))
      .when(change({ externalId: null }, 'order-1'))
      .then(changed({ externalId: null }));
    given(before, changed(all))
      .when(change({ billingThresholds: null }))
      .then(changed({ ownBillingThresholds: null }));
    const state = given(
      before,
      changed(all),
      changed({ externalId: null, ownBillingThresholds: null }),
    ).state()!;
    expect(state.externalId).toBeUndefined();
    expect(billingThresholdsOf(state)).toBeNull();
  });

  it('is refused if the external id was changed at the same time, unless it is the same', () => {
    given(before, changed(all))
      .when(change({ externalId: 'order-2' }, null))
      .refused('subscription_changed');
    given(before, changed(all))
      .when(change({ externalId: 'order-1' }, null))
      .then();
    given(before, changed(all))
      .when(change({ metadata: {} }, null))
      .then(changed({ metadata: {} }));
  });

  it('is refused for what has ended, before what is due, and for parts of a cent', () => {
    given(before, canceled(B0, null))
      .when(change({ metadata: {} }))
      .refused('subscription_canceled');
    given(before)
      .when({ ...change({ metadata: {} }), at: B1 })
      .refused('billing_behind');
    given(before)
      .when(change({ billingThresholds: { amountGte: '50.001' } }))
      .refused('validation_failed', 'billingThresholds.amountGte');
  });
});
