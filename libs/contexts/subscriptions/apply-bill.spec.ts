import { describe, expect, it } from '@jest/globals';
import { B0, B1, B2, usage } from '../../../test/support/sample-subscription.js';
import { markChargedUntil } from './apply-bill.js';

describe('an item that a bill has charged', () => {
  const item = { price: usage, quantity: '1', since: B1, invoicedBy: ['inv_progressive'] };

  it('begins again from there, without the progressive invoices before', () => {
    expect(markChargedUntil(item, B2)).toEqual({ price: usage, quantity: '1', since: B2 });
    // A bill at the very instant at which the item began charges no time of it, and settles its progressive invoices.
    expect(markChargedUntil(item, B1)).toEqual({ price: usage, quantity: '1', since: B1 });
  });

  it('stays as it is if the bill charged no later time of it', () => {
    expect(markChargedUntil(item, B0)).toBe(item);
    expect(markChargedUntil(item, undefined)).toBe(item);
  });
});
