import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { InvoiceLine } from '#libs/rating';
import { invoiceEvents, sampleMethod } from '../../../../test/support/sample-invoice.js';
import { invoiceDecider } from '../decider.js';
import type { InvoiceEvent } from '../events.js';
import type { RetryPlan } from '../payment-retries.js';
import { presentInvoice } from '../present.js';
import type { InvoiceCommandOf } from './invoice-command.js';

const { given } = decide(invoiceDecider);

const invoiceId = 'inv_1';
const at = '2026-02-01T09:00:00.000Z';
const later = '2026-02-03T10:00:00.000Z';
const fee: InvoiceLine = {
  id: 'line_1',
  type: 'flat',
  description: 'Platform fee',
  priceId: 'price_1',
  priceVersion: 1,
  quantity: '1',
  unitPrice: '100',
  amount: '100.00',
  periodStart: '2026-02-01T00:00:00.000Z',
  periodEnd: '2026-03-01T00:00:00.000Z',
};
const reference = { invoiceId, customerId: 'cust_1', currency: 'USD', total: '100.00' };
const events = invoiceEvents({ at, ...reference });
const purchasedBlock = { creditType: 'ai', blockId: 'blk_1' };
const created = events.created({ lines: [fee] });
const opened = events.opened({ number: 'INV-000001' });
const writtenOff: InvoiceEvent = {
  type: 'InvoiceMarkedUncollectible',
  data: { at, ...reference, amount: '100.00' },
};
const paid: InvoiceEvent = { type: 'InvoicePaid', data: { at: later, ...reference, attemptId: null } };

type PaymentRecorded = Extract<InvoiceEvent, { type: 'PaymentRecorded' }>;
type Reversed = Extract<InvoiceEvent, { type: 'RecordedPaymentReversed' }>;

const record = (
  amount: string,
  more: Partial<InvoiceCommandOf<'RecordPayment'>> = {},
): InvoiceCommandOf<'RecordPayment'> => ({
  type: 'RecordPayment',
  at: later,
  invoiceId,
  paymentId: 'rpay_1',
  amount,
  method: 'bank_transfer',
  paidAt: later,
  reference: null,
  ...more,
});
const recorded = (amount: string, more: Partial<PaymentRecorded['data']> = {}): PaymentRecorded => ({
  type: 'PaymentRecorded',
  data: {
    at: later,
    ...reference,
    paymentId: 'rpay_1',
    amount,
    method: 'bank_transfer',
    paidAt: later,
    ...more,
  },
});
const reverse = (
  more: Partial<InvoiceCommandOf<'ReversePayment'>> = {},
): InvoiceCommandOf<'ReversePayment'> => ({
  type: 'ReversePayment',
  at: later,
  invoiceId,
  paymentId: 'rpay_1',
  reason: 'Bounced',
  ...more,
});
const reversed = (amount: string, more: Partial<Reversed['data']> = {}): Reversed => ({
  type: 'RecordedPaymentReversed',
  data: {
    at: later,
    ...reference,
    paymentId: 'rpay_1',
    amount,
    method: 'bank_transfer',
    reason: 'Bounced',
    ...more,
  },
});
const [started, succeeded] = [events.started(1), events.succeeded()];
const chargeOf = (amount: string): InvoiceEvent[] => [
  { ...started, data: { ...started.data, amount } },
  { ...succeeded, data: { ...succeeded.data, amount } },
];
const pay: InvoiceCommandOf<'StartPayment'> = {
  type: 'StartPayment',
  at: later,
  invoiceId,
  attemptId: 'pay_1',
  method: sampleMethod,
  opening: null,
};

/** The events of a command after a history. */
const eventsOf = (
  history: readonly InvoiceEvent[],
  command: Parameters<typeof invoiceDecider.decide>[0],
): InvoiceEvent[] => [...invoiceDecider.decide(command, given(...history).state())];

const shown = (...history: InvoiceEvent[]): Record<string, unknown> => {
  const { status, amountDue, amountPaid, paidAt } = presentInvoice(given(...history).state()!);
  return JSON.parse(JSON.stringify({ status, amountDue, amountPaid, paidAt })) as Record<string, unknown>;
};

describe('recording a payment', () => {
  it('lowers the amount due, and pays the invoice with the last part', () => {
    given(created, opened)
      .when(record('60', { reference: 'E2E-1', method: 'check' }))
      .then(recorded('60.00', { reference: 'E2E-1', method: 'check' }));
    const first = recorded('60.00');
    expect(shown(created, opened, first)).toEqual({
      status: 'open',
      amountDue: 40,
      amountPaid: 60,
      paidAt: null,
    });
    const second = { paymentId: 'rpay_2' };
    given(created, opened, first).when(record('40', second)).then(recorded('40.00', second), paid);
    expect(shown(created, opened, first, recorded('40.00', second), paid)).toEqual({
      status: 'paid',
      amountDue: 0,
      amountPaid: 100,
      paidAt: later,
    });
  });

  it('gives the part above the amount due to the balance', () => {
    given(created, opened)
      .when(record('120.50'))
      .then(recorded('120.50', { toBalance: '20.50' }), paid);
    expect(shown(created, opened, recorded('120.50', { toBalance: '20.50' }), paid)).toMatchObject({
      amountDue: 0,
      amountPaid: 100,
    });
  });

  it('recovers an invoice that was written off', () => {
    given(created, opened, writtenOff)
      .when(record('100'))
      .then(recorded('100.00', { writtenOff: true }), paid);
  });

  it('is recorded once', () => {
    given(created, opened, recorded('60.00')).when(record('60')).then();
  });

  it('is refused for a draft, and for an invoice that is paid, void or being paid', () => {
    given().when(record('60')).refused('invoice_not_found');
    given(created).when(record('60')).refused('invoice_not_open');
    given(created, opened, recorded('100.00'), paid)
      .when(record('60', { paymentId: 'rpay_2' }))
      .refused('invoice_already_paid');
    given(created, opened, events.voided()).when(record('60')).refused('invoice_void');
    given(created, opened, events.started(1)).when(record('60')).refused('payment_in_progress');
  });

  it('needs an amount in whole units, and a time from the day of the opening to now', () => {
    given(created, opened).when(record('60.001')).refused('validation_failed');
    given(created, opened)
      .when(record('60', { paidAt: '2026-02-03T10:00:00.001Z' }))
      .refused('validation_failed');
    given(created, opened)
      .when(record('60', { paidAt: '2026-01-31T23:59:59.999Z' }))
      .refused('validation_failed');
    // The bank names the day only. The invoice was opened at nine.
    const paidAt = '2026-02-01T00:00:00.000Z';
    given(created, opened).when(record('60', { paidAt })).then(recorded('60.00', { paidAt }));
  });
});

describe('a charge of a card', () => {
  it('charges only the rest', () => {
    const rest = { ...events.started(1).data, at: later, amount: '40.00' };
    given(created, opened, recorded('60.00')).when(pay).then({ type: 'PaymentStarted', data: rest });
  });

  it('cannot be confirmed over the old amount', () => {
    given(created, opened, events.started(1), events.needsAction(), recorded('60.00'))
      .when({ type: 'ConfirmPayment', at: later, invoiceId })
      .refused('no_action_required');
  });

  it('counts after the reversal of a payment that paid the rest of the invoice', () => {
    const history = [created, opened, recorded('60.00'), ...chargeOf('40.00'), events.paid()];
    expect(shown(...history)).toMatchObject({ status: 'paid', amountDue: 0, amountPaid: 100 });
    given(...history)
      .when(reverse())
      .then(reversed('60.00', { reopens: true }));
    const reopened = [...history, reversed('60.00', { reopens: true })];
    expect(shown(...reopened)).toMatchObject({ status: 'open', amountDue: 60, amountPaid: 40, paidAt: null });
    given(...reopened)
      .when({ type: 'VoidInvoice', at: later, invoiceId, reason: null })
      .refused('invoice_partly_paid');
  });
});

describe('the reversal of a payment', () => {
  it('makes the amount due again', () => {
    given(created, opened, recorded('60.00')).when(reverse()).then(reversed('60.00'));
    expect(shown(created, opened, recorded('60.00'), reversed('60.00'))).toMatchObject({
      status: 'open',
      amountDue: 100,
      amountPaid: 0,
    });
  });

  it('opens a paid invoice again, or leaves it written off', () => {
    given(created, opened, recorded('100.00'), paid)
      .when(reverse())
      .then(reversed('100.00', { reopens: true }));
    const history = [created, opened, writtenOff, recorded('100.00', { writtenOff: true }), paid];
    const reversal = reversed('100.00', { reopens: true, writtenOff: true });
    given(...history)
      .when(reverse())
      .then(reversal);
    expect(shown(...history, reversal)).toMatchObject({ status: 'uncollectible', amountDue: 100 });
  });

  it('names the excess, which was removed from the balance before', () => {
    given(created, opened, recorded('120.00', { toBalance: '20.00' }), paid)
      .when(reverse())
      .then(reversed('120.00', { toBalance: '20.00', reopens: true }));
  });

  it('is recorded once, and refused if it must be the first', () => {
    const history = [created, opened, recorded('60.00'), reversed('60.00')];
    given(...history)
      .when(reverse())
      .then();
    given(...history)
      .when(reverse({ mustBeFirst: true }))
      .refused('payment_reversed');
  });

  it('is refused for an unknown payment, and while the invoice is being paid', () => {
    given(created, opened).when(reverse()).refused('payment_not_found');
    given(created, opened, recorded('60.00'), events.started(1))
      .when(reverse())
      .refused('payment_in_progress');
  });

  it('ends the retries, because their times have passed', () => {
    const failed = events.declined();
    const plan = { nextAttemptAt: '2026-02-02T00:00:00.000Z' };
    const declined: InvoiceEvent = { ...failed, data: { ...failed.data, retries: plan } };
    const history = [created, opened, events.started(1), declined, recorded('100.00'), paid];
    const state = given(...history, reversed('100.00', { reopens: true })).state()!;
    expect(state.retries).toMatchObject({ plan: null, afterAttemptId: null });
  });
});

describe('an invoice that is partly paid', () => {
  const partly = [created, opened, recorded('60.00')];

  it('cannot be voided until its payments are reversed', () => {
    const voiding = { type: 'VoidInvoice', at: later, invoiceId, reason: null } as const;
    given(...partly)
      .when(voiding)
      .refused('invoice_partly_paid');
    given(...partly, reversed('60.00'))
      .when(voiding)
      .then(events.voided({ at: later, number: 'INV-000001' }));
  });

  it('cannot be voided if its credits were usable once', () => {
    const block = { ...reference, purchasedBlock };
    const of = <E extends InvoiceEvent>(event: E): E => ({ ...event, data: { ...event.data, ...block } });
    given(
      of(events.created({ lines: [fee] })),
      of(opened),
      of(recorded('100.00')),
      of(paid as InvoiceEvent),
      of(reversed('100.00', { reopens: true })),
    )
      .when({ type: 'VoidInvoice', at: later, invoiceId, reason: null })
      .refused('credits_not_voided');
  });

  it('is written off over the rest', () => {
    given(...partly)
      .when({ type: 'MarkUncollectible', at: later, invoiceId })
      .then({ type: 'InvoiceMarkedUncollectible', data: { at: later, ...reference, amount: '40.00' } });
  });

  it('is credited by at most the rest, and is paid then', () => {
    const note = (amount: string): InvoiceCommandOf<'IssueCreditNote'> => ({
      type: 'IssueCreditNote',
      at: later,
      invoiceId,
      creditNoteId: 'cn_1',
      reason: 'other',
      memo: null,
      credit: { amount },
      target: null,
    });
    given(...partly)
      .when(note('40.01'))
      .refused('credit_exceeds_invoice');
    const issued = invoiceDecider.decide(note('40.00'), given(...partly).state());
    expect(issued.map(({ type }) => type)).toEqual(['CreditNoteIssued', 'InvoicePaid']);
    expect(issued[0]!.data).toMatchObject({ note: { unpaid: '40.00', toBalance: '0.00', refunded: '0.00' } });
  });
});

describe('a credit note on a paid invoice', () => {
  const credit = (
    history: readonly InvoiceEvent[],
    amount: string,
    target: 'refund' | 'balance' | null = null,
  ) => {
    const [issued] = invoiceDecider.decide(
      {
        type: 'IssueCreditNote',
        at: later,
        invoiceId,
        creditNoteId: 'cn_1',
        reason: 'other',
        memo: null,
        credit: { amount },
        target,
      },
      given(...history).state(),
    );
    const { toBalance, refunded } = (issued as Extract<InvoiceEvent, { type: 'CreditNoteIssued' }>).data.note;
    return { toBalance, refunded };
  };

  it('goes to the balance if no card paid', () => {
    const history = [created, opened, recorded('100.00'), paid];
    expect(credit(history, '30.00')).toEqual({ toBalance: '30.00', refunded: '0.00' });
    expect(credit(history, '30.00', 'refund')).toEqual({ toBalance: '30.00', refunded: '0.00' });
  });

  it('is refunded to the card up to what the card paid', () => {
    const history = [created, opened, recorded('60.00'), ...chargeOf('40.00'), events.paid()];
    expect(credit(history, '30.00')).toEqual({ toBalance: '0.00', refunded: '30.00' });
    expect(credit(history, '70.00')).toEqual({ toBalance: '30.00', refunded: '40.00' });
  });

  it('goes to the balance first if the balance paid', () => {
    const fromBalance = recorded('60.00', { method: 'balance' });
    const history = [created, opened, fromBalance, ...chargeOf('40.00'), events.paid()];
    expect(credit(history, '70.00')).toEqual({ toBalance: '60.00', refunded: '10.00' });
  });
});

describe('a payment from the balance', () => {
  const start = (amount: string | null, available: string): InvoiceCommandOf<'StartBalancePayment'> => ({
    type: 'StartBalancePayment',
    at: later,
    invoiceId,
    paymentId: 'rpay_1',
    amount,
    available,
  });
  const asked = (amount: string): InvoiceEvent => ({
    type: 'BalancePaymentStarted',
    data: { at: later, ...reference, paymentId: 'rpay_1', amount },
  });
  const complete = (succeeded: boolean): InvoiceCommandOf<'CompleteBalancePayment'> => ({
    type: 'CompleteBalancePayment',
    at: later,
    invoiceId,
    paymentId: 'rpay_1',
    succeeded,
  });
  const failed: InvoiceEvent = {
    type: 'BalancePaymentFailed',
    data: { at: later, ...reference, paymentId: 'rpay_1', amount: '30.00' },
  };

  it('asks for as much as the balance holds and the invoice needs, or for the amount', () => {
    given(created, opened).when(start(null, '30.00')).then(asked('30.00'));
    given(created, opened).when(start(null, '130.00')).then(asked('100.00'));
    given(created, opened).when(start('20', '30.00')).then(asked('20.00'));
  });

  it('is refused for too much, and for a balance that holds too little', () => {
    given(created, opened).when(start('100.01', '130.00')).refused('validation_failed');
    given(created, opened).when(start('20.001', '130.00')).refused('validation_failed');
    given(created, opened).when(start('31', '30.00')).refused('balance_too_low');
    given(created, opened).when(start(null, '0.00')).refused('balance_too_low');
    given(created).when(start(null, '30.00')).refused('invoice_not_open');
  });

  it('holds off every other payment until the balance has answered', () => {
    const pending = given(created, opened, asked('30.00'));
    pending.when(pay).refused('payment_in_progress');
    pending.when(record('60', { paymentId: 'rpay_2' })).refused('payment_in_progress');
    pending.when({ type: 'MarkUncollectible', at: later, invoiceId }).refused('payment_in_progress');
    pending.when(reverse()).refused('payment_in_progress');
    expect(shown(created, opened, asked('30.00'))).toMatchObject({ amountDue: 100, amountPaid: 0 });
  });

  it('holds off the end of the retries, which comes again', () => {
    const plan: RetryPlan = {
      ...({ ended: 'exhausted', givesUpAt: at } as const),
      ...({ whenExhausted: 'mark_uncollectible', subscription: 'none' } as const),
    };
    const failedCharge = events.declined();
    const declined: InvoiceEvent = { ...failedCharge, data: { ...failedCharge.data, retries: plan } };
    given(created, opened, events.started(1), declined, asked('30.00'))
      .when({ type: 'EndPaymentRetries', at: later, invoiceId, afterAttemptId: 'pay_1' })
      .refused('payment_in_progress');
  });

  it('is recorded when the balance has given the amount', () => {
    given(created, opened, asked('30.00'))
      .when(complete(true))
      .then(recorded('30.00', { method: 'balance' }));
    given(created, opened, asked('100.00'))
      .when(complete(true))
      .then(recorded('100.00', { method: 'balance' }), paid);
    given(created, opened, asked('30.00'), recorded('30.00', { method: 'balance' }))
      .when(complete(false))
      .then();
  });

  it('fails if the balance has not given the amount, whatever is reported later', () => {
    given(created, opened, asked('30.00')).when(complete(false)).then(failed);
    given(created, opened, asked('30.00'), failed).when(complete(true)).then();
    given(created, opened, asked('30.00'), failed).when(reverse()).refused('payment_not_found');
    given(created, opened, asked('30.00'), failed)
      .when(record('100', { paymentId: 'rpay_2' }))
      .then(recorded('100.00', { paymentId: 'rpay_2' }), paid);
  });
});

describe('an amount that is carried to the next invoice', () => {
  const carry: InvoiceCommandOf<'CarryForward'> = {
    type: 'CarryForward',
    at: later,
    invoiceId,
    paymentId: 'rpay_1',
    amount: '100.00',
  };
  const begun: InvoiceEvent = {
    type: 'BalancePaymentStarted',
    data: { at: later, ...reference, paymentId: 'rpay_1', amount: '100.00', carried: true },
  };
  const fromBalance = recorded('100.00', { method: 'balance', carried: true });
  const complete: InvoiceCommandOf<'CompleteBalancePayment'> = {
    type: 'CompleteBalancePayment',
    at: later,
    invoiceId,
    paymentId: 'rpay_1',
    succeeded: true,
  };

  it('pays the invoice from the balance, whatever the balance has', () => {
    given(created, opened).when(carry).then(begun);
    given(created, opened, begun).when(complete).then(fromBalance, paid);
    const { recordedPayments } = given(created, opened, begun, fromBalance, paid).state()!;
    expect(recordedPayments).toMatchObject([{ method: 'balance', status: 'succeeded', carried: true }]);
    expect(shown(created, opened, begun, fromBalance, paid)).toMatchObject({ status: 'paid', amountDue: 0 });
  });

  it('is the amount that is still due, once', () => {
    const rest = { ...begun, data: { ...begun.data, paymentId: 'rpay_2', amount: '40.00' } } as InvoiceEvent;
    given(created, opened, recorded('60.00'))
      .when({ ...carry, paymentId: 'rpay_2', amount: '40.00' })
      .then(rest);
    given(created, opened, begun).when(carry).then();
  });

  it('is refused if another amount is due than the one that was too small', () => {
    const small = { ...carry, paymentId: 'rpay_2', amount: '0.30' };
    const cheque = recorded('99.70');
    given(created, opened, cheque)
      .when(small)
      .then({
        type: 'BalancePaymentStarted',
        data: { at: later, ...reference, paymentId: 'rpay_2', amount: '0.30', carried: true },
      });
    given(created, opened, cheque, reversed('99.70')).when(small).refused('amount_changed');
    given(created, opened, recorded('99.80')).when(small).refused('amount_changed');
  });

  it('is of an open invoice without a payment in progress', () => {
    given(created).when(carry).refused('invoice_not_open');
    given(created, opened, writtenOff).when(carry).refused('invoice_not_open');
    given(created, opened, events.voided()).when(carry).refused('invoice_void');
    given(created, opened, fromBalance, paid)
      .when({ ...carry, paymentId: 'rpay_2' })
      .refused('invoice_already_paid');
    given(created, opened, events.started(1)).when(carry).refused('payment_in_progress');
  });

  it('keeps the invoice from being voided, and goes to the balance with a credit note', () => {
    const history = [created, opened, begun, fromBalance, paid];
    given(...history)
      .when({ type: 'VoidInvoice', at: later, invoiceId, reason: null })
      .refused('invoice_already_paid');
    const note = eventsOf([...history], {
      type: 'IssueCreditNote',
      at: later,
      invoiceId,
      creditNoteId: 'cn_1',
      reason: 'other',
      memo: null,
      credit: null,
      target: null,
    });
    expect(note).toMatchObject([
      { data: { note: { total: '100.00', toBalance: '100.00', refunded: '0.00' } } },
    ]);
  });

  it('is due again if its payment is reversed', () => {
    given(created, opened, begun, fromBalance, paid)
      .when(reverse({ mustBeFirst: true }))
      .then(reversed('100.00', { method: 'balance', reopens: true }));
  });
});

describe('an invoice that collects a debt of the balance', () => {
  const withDebt = eventsOf([created], {
    type: 'OpenInvoice',
    at,
    invoiceId,
    opening: { number: 'INV-000001', sellerName: null, balance: '-0.30' },
  });
  const [afterDebt] = withDebt;
  const charged = { ...events.started(1).data, at: later, amount: '100.30' };

  it('owes it beside its total', () => {
    expect(afterDebt).toMatchObject({ type: 'InvoiceOpened', data: { balanceApplied: '-0.30' } });
    expect(shown(created, ...withDebt)).toMatchObject({ status: 'open', amountDue: 100.3 });
    given(created, ...withDebt)
      .when(pay)
      .then({ type: 'PaymentStarted', data: charged });
  });

  it('has only its own total to credit', () => {
    const paidByCard = [created, ...withDebt, ...chargeOf('100.30'), events.paid()];
    const note = eventsOf([...paidByCard], {
      type: 'IssueCreditNote',
      at: later,
      invoiceId,
      creditNoteId: 'cn_1',
      reason: 'other',
      memo: null,
      credit: null,
      target: null,
    });
    expect(note).toMatchObject([
      { data: { note: { total: '100.00', refunded: '100.00', toBalance: '0.00' } } },
    ]);
    const unpaid = eventsOf([created, ...withDebt], {
      type: 'IssueCreditNote',
      at: later,
      invoiceId,
      creditNoteId: 'cn_1',
      reason: 'other',
      memo: null,
      credit: null,
      target: null,
    });
    expect(shown(created, ...withDebt, ...unpaid)).toMatchObject({ status: 'open', amountDue: 0.3 });
  });

  it('can be refunded whole at the payment processor', () => {
    const refunds = [{ refundId: 're_1', amount: '100.30' }];
    const found = eventsOf([created, ...withDebt, ...chargeOf('100.30'), events.paid()], {
      type: 'RecordGatewayRefunds',
      at: later,
      invoiceId,
      attemptId: 'pay_1',
      refunds,
    });
    expect(found).toMatchObject([{ type: 'GatewayRefundFound', data: { amount: '100.30' } }]);
  });
});
