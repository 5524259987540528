import { describe, expect, it } from '@jest/globals';
import type { AppError } from '#libs/core';
import type { CreditRequest, InvoiceLine } from '#libs/rating';
import { invoiceOf, sampleEvents } from '../../test/support/sample-invoice.js';
import { requireNothingGivenBack, requireOtherLines } from './given-back.js';

const billedAt = '2026-02-01T00:00:00.000Z';
const line = (id: string, type: InvoiceLine['type'], periodEnd: string): InvoiceLine => ({
  ...{ id, type, description: id, priceId: id, priceVersion: 1, quantity: '1', amount: '10.00' },
  ...{ periodStart: '2026-01-01T00:00:00.000Z', periodEnd },
});
const invoice = invoiceOf(
  sampleEvents.created({
    billedAt,
    lines: [
      line('ahead', 'flat', '2026-03-01T00:00:00.000Z'),
      line('behind', 'flat', billedAt),
      line('usage', 'usage', billedAt),
      line('setup', 'one_time', billedAt),
    ],
  }),
);

const givenBack = (...lineIds: string[]) => ({ invoice, lineIds: new Set(lineIds) });
const error = (act: () => void): AppError | undefined => {
  try {
    act();
    return undefined;
  } catch (thrown) {
    return thrown as AppError;
  }
};
const outcome = (credit: CreditRequest | null): string =>
  error(() => requireOtherLines(credit, givenBack('ahead')))?.code ?? 'accepted';
const ofLines = (...ids: string[]) => outcome({ lines: ids.map((id) => ({ id, amount: '1.00' })) });

describe('an invoice of which something was given back', () => {
  it('has nothing credited of what it charges in advance, by itself or within an amount of the whole', () => {
    expect(outcome(null)).toBe('invoice_given_back');
    expect(outcome({ amount: '1.00' })).toBe('invoice_given_back');
    expect(ofLines('usage', 'ahead')).toBe('invoice_given_back');
  });

  it('can have its other lines credited', () => {
    expect(ofLines('behind', 'usage', 'setup')).toBe('accepted');
  });

  it('says which others there are, or that there are none', () => {
    const messages = (...lineIds: string[]) =>
      [
        () => requireOtherLines(null, givenBack(...lineIds)),
        () => requireNothingGivenBack(givenBack(...lineIds)),
      ].map((act) => error(act)?.message);
    for (const message of messages('ahead', 'usage'))
      expect(message).toMatch(/: behind \(behind\), setup \(setup\)$/);
    for (const message of messages('ahead', 'behind', 'usage', 'setup'))
      expect(message).toMatch(/nothing else of it can be credited/i);
    expect(messages()).toEqual([undefined, undefined]);
  });
});
