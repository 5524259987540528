import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  about,
  ahead,
  B0,
  B1,
  B12,
  bill,
  charge,
  created,
  renewed,
  subscriptionId,
  yearly,
} from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider } from '../decider.js';

const { given } = decide(subscriptionDecider);

describe('an invoice that was voided', () => {
  const first = bill('cycle', B0, [B0, B1], [charge(yearly, B0, B12), charge(ahead, B0, B1)]);
  const second = bill('cycle', B1, [B0, B1], [charge(ahead, B1, '2026-03-31T10:00:00.000Z')]);
  const history = [created([yearly, ahead], first), renewed(1, second)];
  const noted = (invoiceId: string) => ({ type: 'RecordInvoiceVoid', subscriptionId, invoiceId }) as const;

  it('is recorded if it charged a prepaid fee whose time is still to come', () => {
    for (const { invoiceId } of [first, second])
      given(...history)
        .when(noted(invoiceId))
        .then({ type: 'SubscriptionInvoiceVoided', data: { ...about, invoiceId } });
  });

  it('is not recorded if it charged none', () => {
    given(...history)
      .when(noted('inv_other'))
      .then();
  });
});
