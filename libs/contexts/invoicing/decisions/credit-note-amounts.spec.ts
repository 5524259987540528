import { describe, expect, it } from '@jest/globals';
import type { AppError } from '#libs/kernel/core';
import type { InvoiceLine } from '#libs/rating';
import { invoiceOf, sampleEvents } from '../../../../test/support/sample-invoice.js';
import type { InvoiceEvent } from '../events.js';
import { invoiceDecider } from '../decider.js';
import type { CreditNoteRequest } from './credit-note-amounts.js';

const at = '2023-12-20T00:00:00.000Z';
const { created, opened, started, succeeded, paid, voided } = sampleEvents;
/** Lines of 88.19 and 45.15. */
const open = [created(), opened()];
const settled = [...open, started(), succeeded(), paid()];

const manual = (id: string, amount: string, discount?: string): InvoiceLine => ({
  id,
  type: 'manual',
  description: id,
  priceId: id,
  priceVersion: 1,
  quantity: '1',
  amount,
  ...(discount === undefined ? {} : { discount }),
  periodStart: at,
  periodEnd: at,
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
      type: 'IssueCreditNote',
      invoiceId: 'inv_1',
      creditNoteId: 'cn_1',
      at,
      reason: 'other',
      memo: null,
      credit: null,
      target: null,
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

/** The field that the error names. */
const wrongField = (history: InvoiceEvent[], request: Partial<CreditNoteRequest>): string | undefined => {
  try {
    decide(history, request);
    return 'accepted';
  } catch (error) {
    return (error as AppError).details?.map(({ field }) => field).join();
  }
};

describe('a credit note', () => {
  it('is refused with the name of the wrong field', () => {
    const ofLines = (...lines: { id: string; amount: string }[]) => ({ credit: { lines } });
    const one = { id: 'line_1', amount: '1' };
    expect(wrongField(open, { target: 'refund' })).toBe('to');
    expect(wrongField(open, { target: 'balance' })).toBe('to');
    expect(wrongField(settled, { target: 'unpaid' })).toBe('to');
    expect(wrongField(open, { target: 'unpaid' })).toBe('accepted');
    expect(wrongField(open, { credit: { amount: '1.001' } })).toBe('amount');
    expect(wrongField(open, ofLines(one, { id: 'line_9', amount: '1' }))).toBe('lines[1].lineId');
    expect(wrongField(open, ofLines(one, { id: 'line_2', amount: '1' }))).toBe('accepted');
    expect(wrongField(open, ofLines({ id: 'line_2', amount: '1' }, one, one))).toBe('lines[2].lineId');
    expect(wrongField(open, ofLines(one, { id: 'line_2', amount: '0.001' }))).toBe('lines[1].amount');
    expect(wrongField(open, ofLines({ id: 'line_2', amount: '45.16' }))).toBe('lines[0].amount');
  });

  it('on an unpaid invoice is at most the amount due, and then pays the invoice', () => {
    const reduced = [created(), opened({ balanceApplied: '33.34' })];
    const [note, paidOff] = decide(reduced);
    expect(goesTo([note!])).toEqual([
      { total: '100.00', unpaid: '100.00', toBalance: '0.00', refunded: '0.00' },
    ]);
    expect(paidOff).toEqual({
      type: 'InvoicePaid',
      data: {
        at,
        invoiceId: 'inv_1',
        customerId: 'cust_1',
        currency: 'USD',
        total: '133.34',
        attemptId: null,
      },
    });
    expect(refused(reduced, { credit: { amount: '100.01' } })).toBe('credit_exceeds_invoice');
  });

  it('on an uncollectible invoice reduces the amount due', () => {
    const writtenOff: InvoiceEvent = {
      type: 'InvoiceMarkedUncollectible',
      data: {
        at,
        invoiceId: 'inv_1',
        customerId: 'cust_1',
        currency: 'USD',
        total: '133.34',
        amount: '133.34',
      },
    };
    const history = [...open, writtenOff];
    expect(wrongField(history, { target: 'refund' })).toBe('to');
    expect(goesTo(decide(history, { credit: { amount: '33.34' } }))).toEqual([
      { total: '33.34', unpaid: '33.34', toBalance: '0.00', refunded: '0.00' },
    ]);
  });

  it('goes to the balance if only the balance paid, and otherwise to the card first', () => {
    const byBalance = [created(), opened({ balanceApplied: '133.34' }), paid()];
    expect(goesTo(decide(byBalance))).toEqual([
      { total: '133.34', unpaid: '0.00', toBalance: '133.34', refunded: '0.00' },
    ]);
    expect(goesTo(decide(settled, { target: 'balance', credit: { amount: '10.00' } }))).toEqual([
      { total: '10.00', unpaid: '0.00', toBalance: '10.00', refunded: '0.00' },
    ]);
    // 33.34 came from the balance, and 10.00 of it was returned. So 23.34 more goes to the balance.
    const partly = [created(), opened({ balanceApplied: '33.34' }), started(), succeeded(), paid()];
    const ten = decide(partly, { target: 'balance', credit: { amount: '10.00' } });
    expect(goesTo(decide([...partly, ...ten], { creditNoteId: 'cn_2' }))).toEqual([
      { total: '123.34', unpaid: '0.00', toBalance: '23.34', refunded: '100.00' },
    ]);
    // 33.34 came from the balance. 50.00 was credited to the balance, which is 16.66 more, so 16.66 less can go to the card. The card had
    // paid 100.00.
    const mixed = [created(), opened({ balanceApplied: '33.34' }), started()];
    const history = [...mixed, succeeded(), paid()];
    const first = decide(history, { target: 'balance', credit: { amount: '50.00' } });
    const rest = invoiceDecider.decide(
      {
        type: 'IssueCreditNote',
        invoiceId: 'inv_1',
        creditNoteId: 'cn_2',
        at,
        reason: 'other',
        memo: null,
        credit: null,
        target: null,
      },
      invoiceOf(...history, ...first),
    );
    expect(goesTo(rest)).toEqual([{ total: '83.34', unpaid: '0.00', toBalance: '0.00', refunded: '83.34' }]);
  });

  it('on an unpaid invoice reduces the amount due until the invoice is paid', () => {
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

  it('on a paid invoice goes to the balance as far as the balance paid, and then to the card', () => {
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

  it('credits existing lines, each at most by its remaining amount', () => {
    const lines = (id: string, amount: string) => ({ credit: { lines: [{ id, amount }] } });
    const half = decide(open, lines('line_1', '44.10'));
    expect(goesTo(half)).toEqual([{ total: '44.10', unpaid: '44.10', toBalance: '0.00', refunded: '0.00' }]);
    expect(refused([...open, ...half], lines('line_1', '44.10'))).toBe('credit_exceeds_line');
    expect(refused(open, lines('line_9', '1'))).toBe('invoice_line_not_found');
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

  it('is refused for a draft, a void invoice, an invoice with a payment in progress, and an amount of zero', () => {
    expect(refused([created()])).toBe('not_creditable');
    expect(refused([...open, voided()])).toBe('not_creditable');
    expect(refused([...open, started()])).toBe('payment_in_progress');
    expect(refused([...settled, ...decide(settled)])).toBe('credit_exceeds_invoice');
  });

  it('gives back the cost of a line after several coupons', () => {
    // 20.00 off line a only, then 20 % off the remaining amounts of all lines: a costs 32.00, b costs 16.00.
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

  it('over a line is limited by earlier notes over one amount', () => {
    const invoice = settledOver('100.00', [manual('a', '60.00'), manual('b', '40.00')]);
    const half = decide(invoice, { credit: { amount: '50.00' } });
    expect(refused([...invoice, ...half], ofLine('a', '30.01'))).toBe('credit_exceeds_line');
    expect(goesTo(decide([...invoice, ...half], ofLine('a', '30.00')))).toMatchObject([{ total: '30.00' }]);
  });

  it('over the rest is limited by earlier notes over lines', () => {
    const invoice = settledOver('100.00', [manual('a', '60.00'), manual('b', '40.00')]);
    const line = decide(invoice, ofLine('a', '60.00'));
    const rest = decide([...invoice, ...line]);
    expect(rest).toMatchObject([
      { data: { note: { total: '40.00', allocations: [{ lineId: 'b', amount: '40.00' }] } } },
    ]);
  });

  it('is distinguished from other notes on its invoice', () => {
    const half = (creditNoteId: string) => ({ creditNoteId, credit: { amount: '10.00' } });
    const first = decide(settled, half('cn_1'));
    const both = [...settled, ...first, ...decide([...settled, ...first], half('cn_2'))];
    const about = { at, invoiceId: 'inv_1', creditNoteId: 'cn_2' } as const;
    const events = [
      ...invoiceDecider.decide({ ...about, type: 'NumberCreditNote', number: 'CN-2' }, invoiceOf(...both)),
      ...invoiceDecider.decide({ ...about, type: 'CompleteRefund' }, invoiceOf(...both)),
    ];
    expect(events.map(({ data }) => data)).toMatchObject([
      { creditNoteId: 'cn_2', number: 'CN-2', amount: '10.00' },
      { creditNoteId: 'cn_2', amount: '10.00' },
    ]);
    const notesAfter = (...more: InvoiceEvent[]) =>
      invoiceOf(...both, ...more).creditNotes.map(({ creditNoteId, number, refundStatus }) => [
        creditNoteId,
        number,
        refundStatus,
      ]);
    expect(notesAfter()).toEqual([
      ['cn_1', null, 'pending'],
      ['cn_2', null, 'pending'],
    ]);
    expect(notesAfter(...events)).toEqual([
      ['cn_1', null, 'pending'],
      ['cn_2', 'CN-2', 'succeeded'],
    ]);
    const unpaid = invoiceOf(...open, ...decide(open, half('cn_1')));
    expect(unpaid.creditNotes).toMatchObject([{ refundStatus: 'none', total: '10.00' }]);
    for (const type of ['NumberCreditNote', 'CompleteRefund'] as const) {
      const unknown = { ...about, type, creditNoteId: 'cn_9', number: 'CN-9' } as const;
      expect(invoiceDecider.decide(unknown, invoiceOf(...both))).toEqual([]);
    }
    expect(invoiceDecider.decide({ ...about, type: 'CompleteRefund', creditNoteId: 'cn_1' }, unpaid)).toEqual(
      [],
    );
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
    expect(() => invoiceDecider.decide(voiding, credited)).toThrow(
      expect.objectContaining({ code: 'invoice_credited' }),
    );
  });
});

describe('a refund of an invoice whose payment was refunded for another', () => {
  const reference = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '60.00' };
  const history: InvoiceEvent[] = [
    ...settledOver('60.00', [manual('a', '60.00')]),
    {
      type: 'PaymentRefundStarted',
      data: { at, ...reference, byInvoiceId: 'inv_3', amount: '30.00' },
    },
  ];

  it('goes to the balance if the payment does not cover it', () => {
    expect(goesTo(decide(history, { ...ofLine('a', '45'), target: 'refund' }))).toEqual([
      { total: '45.00', unpaid: '0.00', toBalance: '15.00', refunded: '30.00' },
    ]);
  });

  it('uses the balance first, if later invoices returned nothing to the balance', () => {
    const line = { lineId: 'a', amount: '15.00' };
    const fromBalance = (event: InvoiceEvent): InvoiceEvent =>
      event.type === 'InvoiceOpened' ? { ...event, data: { ...event.data, balanceApplied: '20.00' } } : event;
    const givenBack: InvoiceEvent = {
      type: 'InvoiceLinesGivenBack',
      data: { at, ...reference, byInvoiceId: 'inv_2', lines: [line] },
    };
    const partly = settledOver('30.00', [manual('a', '30.00')]).map(fromBalance);
    expect(goesTo(decide(partly, { ...ofLine('a', '15'), target: 'refund' }))).toMatchObject([
      { toBalance: '15.00', refunded: '0.00' },
    ]);
    expect(goesTo(decide([...partly, givenBack], { target: 'refund' }))).toMatchObject([
      { toBalance: '5.00', refunded: '10.00' },
    ]);
  });
});
