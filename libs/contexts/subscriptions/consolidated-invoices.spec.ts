import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  ahead,
  B0,
  B1,
  B2,
  bill,
  canceled,
  cancellationScheduled,
  charge,
  created,
  pass,
  renewed,
  run,
  setup,
  usage,
} from '../../../test/support/sample-subscription.js';
import { consolidatedBillKind } from './consolidated-invoices.js';
import { subscriptionDecider } from './decider.js';
import type { SubscriptionEvent } from './events.js';

const { given } = decide(subscriptionDecider);

const before = created([usage, ahead], null);
const cycle = { invoiceId: 'inv_shared', kind: 'cycle' } as const;
const consolidated = { planId: 'plan_1', planName: 'Pro' };

describe('the bill of a subscription that is billed together with others', () => {
  const charges = [charge(usage, B0, B1), charge(ahead, B1, B2)];

  it('is on the shared invoice, with its plan', () => {
    given(before)
      .when(pass(B1, B1, { consolidation: cycle }))
      .then(renewed(1, { ...bill('cycle', B1, [B0, B1], charges), invoiceId: 'inv_shared', consolidated }));
  });

  it('is the final bill of a subscription that ends there', () => {
    given(before, cancellationScheduled(B1))
      .when(pass(B1, B1, { consolidation: { ...cycle, kind: 'final' } }))
      .then(
        canceled(
          B1,
          { ...bill('final', B1, [B0, B1], charges.slice(0, 1)), invoiceId: 'inv_shared', consolidated },
          { run },
        ),
      );
  });

  it('has an invoice of its own if another kind of bill was expected', () => {
    const final = bill('final', B1, [B0, B1], charges.slice(0, 1));
    given(before, cancellationScheduled(B1))
      .when(pass(B1, B1, { consolidation: cycle }))
      .then(canceled(B1, final, { run }));
  });

  it('is null if nothing is billed', () => {
    given(created([setup], null))
      .when({ ...pass(B1), consolidation: { invoiceId: 'inv_common', kind: 'cycle' } } as ReturnType<
        typeof pass
      >)
      .then(renewed(1, null));
  });

  it('is for the end of a period or of the subscription, and for nothing else', () => {
    const kindAfter = (...events: SubscriptionEvent[]) => consolidatedBillKind(given(...events).state()!);
    expect(kindAfter(before)).toBe('cycle');
    expect(kindAfter(before, cancellationScheduled(B1))).toBe('final');
    const options = { credit: 'refund', finalInvoice: true } as const;
    const data = { subscriptionId: 'sub_1', cancelAt: B1, options };
    expect(kindAfter(before, { type: 'SubscriptionCancellationScheduled', data })).toBeNull();
    const later = { ...data, cancelAt: '2026-03-15T00:00:00.000Z' };
    expect(kindAfter(before, { type: 'SubscriptionCancellationScheduled', data: later })).toBe('cycle');
    expect(kindAfter(before, canceled(B0, null))).toBeNull();
    const planned = { subscriptionId: 'sub_1', customerId: 'cust_1', pauseAt: B1, resumeAt: null };
    expect(kindAfter(before, { type: 'SubscriptionPauseScheduled', data: planned })).toBeNull();
  });
});
