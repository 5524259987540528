import { describe, expect, it } from '@jest/globals';
import { exampleEventNames, exampleDataOf } from './examples.js';
import { publicEventNames } from './names.js';

const shown = (event: string): Record<string, unknown> =>
  JSON.parse(JSON.stringify(exampleDataOf(event))) as Record<string, unknown>;

describe('examples of events', () => {
  it('exist for every event that is sent', () => {
    expect([...exampleEventNames()].toSorted()).toEqual([...publicEventNames()].toSorted());
  });

  it.each(
    exampleEventNames().filter((event) => event.startsWith('invoice.') && event !== 'invoice.upcoming'),
  )('of %s have the fields that the contract requires of an invoice', (event) => {
    expect(shown(event)).toMatchObject({
      id: expect.stringMatching(/^inv_/),
      customerId: expect.stringMatching(/^cust_/),
      total: 23.75,
      currency: 'USD',
      number: 'INV-000042',
    });
  });

  it('show an invoice to come as compute does: it has no id and no number yet', () => {
    expect(shown('invoice.upcoming')).toMatchObject({
      subscriptionId: expect.stringMatching(/^sub_/),
      total: 23.75,
      amountDue: 23.75,
      billedAt: '2026-02-01T00:00:00.000Z',
      lines: [{ amount: 3.75 }, { amount: 20 }],
    });
    expect(shown('invoice.upcoming')).not.toHaveProperty('id');
  });

  it('show the resource after the command of the event, and the data of the event', () => {
    expect(shown('invoice.paid')).toMatchObject({ status: 'paid', amountPaid: 23.75 });
    expect(shown('invoice.payment_recovered')).toMatchObject({ status: 'paid', amountDue: 0, attempt: 2 });
    expect(shown('invoice.voided')).toMatchObject({ status: 'void', reason: 'Issued by mistake' });
    expect(shown('invoice.credit_note')).toMatchObject({
      amountCredited: 5,
      creditNote: { number: 'CN-000007', amount: 5 },
    });
    expect(shown('subscription.past_due')).toMatchObject({ status: 'past_due' });
    expect(shown('subscription.plan_change')).toMatchObject({ planName: 'Business', previousPlanVersion: 1 });
    expect(shown('subscription.cancel')).toMatchObject({ status: 'canceled', reason: 'requested' });
    expect(shown('customer.updated')).toMatchObject({ billingEmail: 'billing@northwind.example' });
    expect(shown('customer.deleted')).toEqual({ id: expect.any(String), deleted: true });
    expect(shown('price_migration.finished')).toMatchObject({ status: 'completed' });
  });
});
