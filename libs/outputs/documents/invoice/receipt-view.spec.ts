import { describe, expect, it } from '@jest/globals';
import { BILLING_DEFAULTS } from '#libs/contexts/invoicing';
import { invoiceOf, sampleEvents } from '../../../../test/support/sample-invoice.js';
import { invoiceView } from './invoice-view.js';
import { hasReceipt, receiptView } from './receipt-view.js';

const { created, opened, recorded, started, succeeded, paid } = sampleEvents;

describe('a receipt', () => {
  it('says what was paid, when, with what, and for which invoice', () => {
    const invoice = invoiceOf(created(), opened(), started(), succeeded(), paid());
    expect(hasReceipt(invoice)).toBe(true);
    expect(receiptView(invoice)).toMatchObject({
      title: 'Receipt INV-000042 from Contoso Cloud Services',
      heading: 'Receipt',
      stamp: 'Paid',
      facts: [
        { label: 'For invoice', value: 'INV-000042' },
        { label: 'Paid on', value: '16 Dec 2023' },
        { label: 'Payment method', value: 'Visa ending 4242' },
      ],
      headline: { amount: '$133.34', text: 'paid 16 Dec 2023' },
      lines: [{ amount: '$88.19' }, { amount: '$45.15' }],
    });
  });

  it('names each method, and the last day, if several payments paid', () => {
    const transfer = recorded({ amount: '60.00', paidAt: '2023-12-14T00:00:00.000Z' });
    const charge = [started(1, { amount: '73.34' }), succeeded({ amount: '73.34' })];
    expect(receiptView(invoiceOf(created(), opened(), transfer, ...charge, paid()))).toMatchObject({
      facts: [
        { value: 'INV-000042' },
        { value: '16 Dec 2023' },
        { label: 'Payment method', value: 'Bank transfer, Visa ending 4242' },
      ],
      headline: { amount: '$133.34', text: 'paid 16 Dec 2023' },
    });
    const inCash = invoiceOf(created(), opened(), recorded({ method: 'cash' }), paid());
    expect(receiptView(inCash).facts[2]).toEqual({ label: 'Payment method', value: 'Cash' });
    const fromBalance = invoiceOf(created(), opened(), recorded({ method: 'balance' }), paid());
    expect(hasReceipt(fromBalance)).toBe(false);
  });

  it('says one day of payment, that on which the customer paid, if the payment was recorded later', () => {
    const transfer = recorded({ paidAt: '2023-12-14T00:00:00.000Z' });
    const invoice = invoiceOf(created(), opened(), transfer, paid());
    for (const view of [receiptView(invoice), invoiceView(invoice, null)])
      expect(view).toMatchObject({
        headline: { text: 'paid 14 Dec 2023' },
        note: 'Paid on 14 Dec 2023. Thank you.',
      });
  });

  it.each([
    ['de', 'Zahlungsbeleg', 'Visa (Endziffern 4242)'],
    ['fr', 'Reçu', 'Visa se terminant par 4242'],
    ['es', 'Recibo', 'Visa terminada en 4242'],
    ['ja', '領収書', 'Visa（末尾 4242）'],
  ] as const)('is in the language of its invoice: %s', (language, heading, card) => {
    const settings = { ...BILLING_DEFAULTS, language };
    const invoice = invoiceOf(created({ settings }), opened(), started(), succeeded(), paid());
    const view = receiptView(invoice);
    expect([view.heading, view.facts[2]!.value]).toEqual([heading, card]);
  });

  it('attests no payment that was not made', () => {
    const open = invoiceOf(created(), opened());
    const settled = { ...open, status: 'paid', paidAt: open.createdAt, balanceApplied: '133.34' } as const;
    for (const invoice of [invoiceOf(created()), open, settled]) {
      expect(hasReceipt(invoice)).toBe(false);
      expect(() => receiptView(invoice)).toThrow(expect.objectContaining({ code: 'not_paid', status: 409 }));
    }
  });
});
