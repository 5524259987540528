import { describe, expect, it } from '@jest/globals';
import type { AppError } from '#libs/core';
import type { InvoiceLine } from '#libs/rating';
import { invoiceOf, sampleEvents } from '../../../test/support/sample-invoice.js';
import type { InvoiceEvent } from '../events.js';
import { invoiceDecider } from '../invoice-decider.js';
import type { CreditNoteRequest } from './issue-credit-note.js';

const at = '2023-12-20T00:00:00.000Z';
const { created, opened, started, succeeded, paid, voided } = sampleEvents;
/** Lines of 88.19 and 45.15. */
const open = [created(), opened()];
const settled = [...open, started(), succeeded(), paid()];

const manual = (id: string, amount: string, discount?: string): InvoiceLine => ({
  ...{ id, type: 'manual', description: id, priceId: id, priceVersion: 1, quantity: '1', amount },
  ...(discount === undefined ? {} : { discount }),
  ...{ periodStart: at, periodEnd: at },
});
/** A paid invoice over these lines. */
const settledOver = (total: string, lines: InvoiceLine[], more: object = {}): InvoiceEvent[] => [
  created({ total, lines, ...more }),
  ...[opened(), started(), succeeded(), paid()].map(
    (event) => ({ ...event, data: { ...event.data, total } }) as InvoiceEvent,
  ),
];
const ofLine = (id: string, amount: string) => ({ credit: { lines: [{ id, amount }] } });

const decide = (history: InvoiceEvent[], request: Partial<CreditNoteRequest> = {}): InvoiceEvent[] =>
  invoiceDecider.decide(
    {
      ...{ type: 'IssueCreditNote', invoiceId: 'inv_1', creditNoteId: 'cn_1', at },
      ...{ reason: 'other', memo: null, credit: null, target: null },
      ...request,
    },
    invoiceOf(...history),
  );

const goesTo = (events: InvoiceEvent[]) =>
  events.map((event) => {
    if (event.type !== 'CreditNoteIssued') return event.type;
    const { total, unpaid, toBalance, refunded } = event.data.note;
    return { total, unpaid, toBalance, refunded };
  });

const refused = (history: InvoiceEvent[], request: Partial<CreditNoteRequest> = {}): string => {
  try {
    decide(history, request);
    return 'accepted';
  } catch (error) {
    return (error as AppError).code;
  }
};

describe('a credit note', () => {
  it('on an invoice that is not paid lowers what is to be paid, and settles it with the last of it', () => {
    const first = decide(open, { credit: { amount: '100.00' } });
    expect(goesTo(first)).toEqual([
      { total: '100.00', unpaid: '100.00', toBalance: '0.00', refunded: '0.00' },
    ]);
    expect(goesTo(decide([...open, ...first]))).toEqual([
      { total: '33.34', unpaid: '33.34', toBalance: '0.00', refunded: '0.00' },
      'InvoicePaid',
    ]);
    expect(refused([...open, ...first], { credit: { amount: '33.35' } })).toBe('credit_exceeds_invoice');
    expect(refused(open, { target: 'balance' })).toBe('not_creditable');
  });

  it('on one that is paid goes back to the card, after what the balance had paid of it', () => {
    expect(goesTo(decide(settled))).toEqual([
      { total: '133.34', unpaid: '0.00', toBalance: '0.00', refunded: '133.34' },
    ]);
    const fromBalance = [created(), opened({ balanceApplied: '33.34' }), started(), succeeded(), paid()];
    const credit = { amount: '50.00' };
    expect(goesTo(decide(fromBalance, { credit }))).toEqual([
      { total: '50.00', unpaid: '0.00', toBalance: '33.34', refunded: '16.66' },
    ]);
    const toBalance = decide(fromBalance, { credit, target: 'balance' });
    expect(goesTo(decide([...fromBalance, ...toBalance]))).toEqual([
      { total: '83.34', unpaid: '0.00', toBalance: '0.00', refunded: '83.34' },
    ]);
    expect(refused(settled, { target: 'unpaid' })).toBe('not_creditable');
  });

  it('is of lines that there are, at most of what is left of each', () => {
    const lines = (id: string, amount: string) => ({ credit: { lines: [{ id, amount }] } });
    const half = decide(open, lines('line_1', '44.10'));
    expect(goesTo(half)).toEqual([{ total: '44.10', unpaid: '44.10', toBalance: '0.00', refunded: '0.00' }]);
    expect(refused([...open, ...half], lines('line_1', '44.10'))).toBe('credit_exceeds_line');
    expect(refused(open, lines('line_9', '1'))).toBe('validation_failed');
    expect(refused(open, lines('line_1', '0.001'))).toBe('validation_failed');
    const twice = {
      credit: {
        lines: [
          { id: 'line_1', amount: '1' },
          { id: 'line_1', amount: '1' },
        ],
      },
    };
    expect(refused(open, twice)).toBe('validation_failed');
  });

  it('is not of a draft, a void invoice, one that is being paid, nor over nothing', () => {
    expect(refused([created()])).toBe('not_creditable');
    expect(refused([...open, voided()])).toBe('not_creditable');
    expect(refused([...open, started()])).toBe('payment_in_progress');
    expect(refused([...settled, ...decide(settled)])).toBe('credit_exceeds_invoice');
  });

  it('gives back what a line cost, where several coupons are on the invoice', () => {
    // 20.00 off line a alone, then 20 % of what is left of all: a costs 32.00, b costs 16.00.
    const discounts = [
      { redemptionId: 'r1', couponId: 'c1', name: 'A', priceIds: ['a'], amount: '20.00' },
      { redemptionId: 'r2', couponId: 'c2', name: 'All', amount: '12.00' },
    ];
    const lines = [manual('a', '60.00', '28.00'), manual('b', '20.00', '4.00')];
    const invoice = settledOver('48.00', lines, { discounts });
    const first = decide(invoice, ofLine('a', '60.00'));
    expect(goesTo(first)).toMatchObject([{ total: '32.00' }]);
    expect(goesTo(decide([...invoice, ...first], ofLine('b', '20.00')))).toMatchObject([{ total: '16.00' }]);
  });

  it('over a line is of what notes over an amount have left of it', () => {
    const invoice = settledOver('100.00', [manual('a', '60.00'), manual('b', '40.00')]);
    const half = decide(invoice, { credit: { amount: '50.00' } });
    expect(refused([...invoice, ...half], ofLine('a', '30.01'))).toBe('credit_exceeds_line');
    expect(goesTo(decide([...invoice, ...half], ofLine('a', '30.00')))).toMatchObject([{ total: '30.00' }]);
  });

  it('over the rest is of what notes over lines have left of each', () => {
    const invoice = settledOver('100.00', [manual('a', '60.00'), manual('b', '40.00')]);
    const line = decide(invoice, ofLine('a', '60.00'));
    const rest = decide([...invoice, ...line]);
    expect(rest).toMatchObject([
      { data: { note: { total: '40.00', allocations: [{ lineId: 'b', amount: '40.00' }] } } },
    ]);
  });

  it('is numbered and refunded once, and keeps the invoice from being voided', () => {
    const issued = [...settled, ...decide(settled)];
    const number = {
      type: 'NumberCreditNote',
      at,
      invoiceId: 'inv_1',
      creditNoteId: 'cn_1',
      number: 'CN-1',
    } as const;
    const refund = { type: 'CompleteRefund', at, invoiceId: 'inv_1', creditNoteId: 'cn_1' } as const;
    for (const command of [number, refund]) {
      const events = invoiceDecider.decide(command, invoiceOf(...issued));
      expect(events).toHaveLength(1);
      expect(invoiceDecider.decide(command, invoiceOf(...issued, ...events))).toEqual([]);
    }
    const credited = invoiceOf(...open, ...decide(open, { credit: { amount: '1.00' } }));
    const voiding = { type: 'VoidInvoice', at, invoiceId: 'inv_1', reason: null } as const;
    expect(() => invoiceDecider.decide(voiding, credited)).toThrow('credit notes');
  });
});
