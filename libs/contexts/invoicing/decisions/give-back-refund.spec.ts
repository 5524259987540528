import { describe, expect, it } from '@jest/globals';
import type { InvoiceLine } from '#libs/rating';
import { decide } from '#libs/kernel/testing';
import { sampleEvents } from '../../../../test/support/sample-invoice.js';
import type { InvoiceEvent } from '../events.js';
import { invoiceDecider } from '../decider.js';
import type { InvoiceCommand } from './invoice-command.js';
import { paymentRefundId } from '../give-backs/give-back.js';
import { traceSourceInvoiceIds } from '../give-backs/trace-source-invoice-ids.js';
import { presentInvoice } from '../present.js';

const at = '2026-02-01T00:00:00.000Z';
const reference = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '20.00' };
const { created, opened, started, succeeded, paid } = sampleEvents;
const fee: InvoiceLine = {
  id: 'line_1',
  type: 'flat',
  description: 'Fee',
  priceId: 'price_1',
  priceVersion: 1,
  quantity: '1',
  amount: '20.00',
  periodStart: at,
  periodEnd: '2026-03-01T00:00:00.000Z',
};
const draft = created({ total: '20.00', lines: [fee] });
const paidByCard = [draft, opened(), started(), succeeded(), paid()];
const refund = (amount: string, byInvoiceId = 'inv_2') =>
  ({ type: 'RefundPayment', at, invoiceId: 'inv_1', byInvoiceId, amount }) as const;
const refundStarted = (amount: string, byInvoiceId = 'inv_2', total = '20.00'): InvoiceEvent => ({
  type: 'PaymentRefundStarted',
  data: { at, ...reference, total, byInvoiceId, amount },
});
const givenBack = (amount: string): InvoiceEvent => ({
  type: 'InvoiceLinesGivenBack',
  data: { at, ...reference, byInvoiceId: 'inv_2', lines: [{ lineId: 'line_1', amount }] },
});

const { given } = decide(invoiceDecider);

describe('the refund of a payment for the give-back of a later invoice', () => {
  it('does not refund the remaining amounts of the lines', () => {
    given(...paidByCard)
      .when(refund('20'))
      .then();
    given(...paidByCard, givenBack('15.00'))
      .when(refund('20'))
      .then(refundStarted('15.00'));
    given(...paidByCard, givenBack('15.00'))
      .when(refund('6'))
      .then(refundStarted('6.00'));
  });

  it('is started once for an invoice, and reduces the next refund', () => {
    given(...paidByCard, givenBack('15.00'), refundStarted('6.00'))
      .when(refund('6'))
      .then();
    given(...paidByCard, givenBack('15.00'), refundStarted('6.00'))
      .when(refund('20', 'inv_3'))
      .then(refundStarted('9.00', 'inv_3'));
  });

  it('is limited to money that was paid', () => {
    const fromBalance = opened({ balanceApplied: '8.00' });
    given(draft, fromBalance, started(), succeeded(), paid(), givenBack('20.00'))
      .when(refund('20'))
      .then(refundStarted('12.00'));
    given(draft, opened(), givenBack('20.00')).when(refund('20')).then();
  });

  it('can be a unit less than the excess, because each invoice has rounded its own tax', () => {
    const year = (id: string, amount: string, discount: string): InvoiceLine => ({
      ...fee,
      id,
      amount,
      discount,
    });
    const vat = { taxRateId: 'tax_1', name: 'VAT', percentage: '20', inclusive: false };
    const paidInvoice = (lines: InvoiceLine[], taxable: string, tax: string, total: string) => [
      created({ total, lines, taxes: [{ ...vat, taxable, amount: tax }] }),
      opened(),
      started(1, { amount: total }),
      succeeded({ amount: total }),
      paid(),
    ];
    const gives = (byInvoiceId: string, lineId: string, amount: string, tax: string): InvoiceEvent => ({
      type: 'InvoiceLinesGivenBack',
      data: {
        at,
        ...reference,
        byInvoiceId,
        lines: [{ lineId, amount }],
        taxes: [{ taxRateId: 'tax_1', amount: tax }],
      },
    });
    // A seat more in the middle of the year, and the end with an excess of 951.58: 792.98 and its tax of 158.60.
    const threeSeats = [year('month', '62.00', '6.20'), year('three', '720.00', '72.00')];
    const fourSeats = [year('back', '-690.41', '-69.04'), year('four', '920.55', '92.06')];
    given(...paidInvoice(fourSeats, '207.12', '41.42', '248.54'), gives('inv_3', 'four', '792.98', '158.60'))
      .when(refund('951.58', 'inv_3'))
      .then(refundStarted('205.93', 'inv_3', '248.54'));
    given(
      ...paidInvoice(threeSeats, '703.80', '140.76', '844.56'),
      gives('inv_2', 'three', '621.37', '124.27'),
    )
      .when(refund('745.65', 'inv_3'))
      .then(refundStarted('745.64', 'inv_3', '844.56'));
  });

  it('is completed once', () => {
    const complete = { type: 'CompletePaymentRefund', at, invoiceId: 'inv_1', byInvoiceId: 'inv_2' } as const;
    const history = [...paidByCard, givenBack('15.00'), refundStarted('15.00')];
    const refunded: InvoiceEvent = {
      type: 'PaymentRefunded',
      data: { at, ...reference, byInvoiceId: 'inv_2', amount: '15.00' },
    };
    given(...history)
      .when(complete)
      .then(refunded);
    given(...history, refunded)
      .when(complete)
      .then();
    given(...paidByCard)
      .when(complete)
      .then();
    const before = [
      ...paidByCard,
      givenBack('20.00'),
      refundStarted('5.00', 'inv_3'),
      refundStarted('15.00'),
    ];
    given(...before)
      .when(complete)
      .then(refunded);
    expect(given(...before, refunded).state()!.refunds).toEqual([
      { byInvoiceId: 'inv_3', amount: '5.00', status: 'pending' },
      { byInvoiceId: 'inv_2', amount: '15.00', status: 'succeeded' },
    ]);
  });
});

describe('a refund that the payment gateway refuses for good', () => {
  const message = 'Stripe refused the refund: The charge is disputed.';
  const about = { at, invoiceId: 'inv_1', byInvoiceId: 'inv_2' };
  const refuse = { type: 'RefusePaymentRefund', ...about, message } as const;
  const history = [...paidByCard, givenBack('15.00'), refundStarted('15.00')];
  const refused: InvoiceEvent = {
    type: 'PaymentRefundRefused',
    data: { at, ...reference, byInvoiceId: 'inv_2', amount: '15.00', message },
  };

  it('says why, once, and is never completed or made again', () => {
    given(...history)
      .when(refuse)
      .then(refused);
    for (const command of [refuse, { type: 'CompletePaymentRefund', ...about } as const, refund('15.00')])
      given(...history, refused)
        .when(command)
        .then();
    given(...paidByCard)
      .when(refuse)
      .then();
    expect(JSON.parse(JSON.stringify(presentInvoice(given(...history, refused).state()!)))).toMatchObject({
      status: 'paid',
      amountDue: 0,
      refunds: [{ byInvoiceId: 'inv_2', amount: 15, status: 'refused', refusal: message }],
    });
  });

  it('is not refused after the gateway has accepted it', () => {
    const accepted: InvoiceEvent = {
      type: 'PaymentRefunded',
      data: { at, ...reference, byInvoiceId: 'inv_2', amount: '15.00' },
    };
    given(...history, accepted)
      .when(refuse)
      .then();
    expect(JSON.parse(JSON.stringify(presentInvoice(given(...history, accepted).state()!)))).toMatchObject({
      refunds: [{ status: 'succeeded', refusal: null }],
    });
  });

  it('is on the balance, so that no credit note and no later invoice gives it back again', () => {
    given(...history, refused)
      .when(refund('20', 'inv_3'))
      .then();
    const note: InvoiceCommand = {
      type: 'IssueCreditNote',
      at,
      invoiceId: 'inv_1',
      creditNoteId: 'cn_1',
      reason: 'other',
      memo: null,
      credit: null,
      target: 'refund',
    };
    expect(
      given(...history, refused)
        .when(note)
        .events(),
    ).toMatchObject([{ data: { note: { total: '5.00', refunded: '5.00', toBalance: '0.00' } } }]);
  });
});

describe('a refund that fails after the payment gateway has accepted it', () => {
  const history = [...paidByCard, givenBack('15.00'), refundStarted('15.00')];
  const about = { at, ...reference, byInvoiceId: 'inv_2', amount: '15.00' };
  const accepted: InvoiceEvent = { type: 'PaymentRefunded', data: about };
  const message = 'The card is closed.';
  const failed: InvoiceEvent = { type: 'PaymentRefundFailed', data: { ...about, refundId: 're_1', message } };
  const fail = (refundKey = paymentRefundId('inv_1', 'inv_2')): InvoiceCommand => ({
    type: 'RecordRefundFailure',
    at,
    invoiceId: 'inv_1',
    attemptId: 'pay_1',
    refundKey,
    refundId: 're_1',
    amount: '15.00',
    failure: message,
  });

  it('says why, once, and is never made again', () => {
    given(...history, accepted)
      .when(fail())
      .then(failed);
    for (const command of [fail(), refund('15.00')])
      given(...history, accepted, failed)
        .when(command)
        .then();
    expect(given(...history, accepted, failed).state()!.refunds).toEqual([
      { byInvoiceId: 'inv_2', amount: '15.00', status: 'failed', refusal: message },
    ]);
  });

  it('counts as refused if the failure is reported first', () => {
    const refused: InvoiceEvent = { type: 'PaymentRefundRefused', data: { ...about, message } };
    given(...history)
      .when(fail())
      .then(refused);
    given(...history, refused)
      .when(fail())
      .then();
  });

  it('is ignored if the invoice does not know it', () => {
    given(...history, accepted)
      .when(fail('ref_none'))
      .then();
  });
});

describe('the invoices that are given back', () => {
  it('are each visited once, nearest first', async () => {
    const giving = (...ids: string[]) =>
      ids.map((invoiceId) => ({ givesBack: [{ invoiceId, lineId: 'line_1', amount: '1.00' }] }));
    const earlier = new Map([
      ['inv_3', giving('inv_1')],
      ['inv_2', giving('inv_1', 'inv_3')],
    ]);
    const found: string[] = [];
    for await (const id of traceSourceInvoiceIds(giving('inv_3', 'inv_2', 'inv_3'), (of) =>
      Promise.resolve(earlier.get(of) ?? []),
    ))
      found.push(id);
    expect(found).toEqual(['inv_3', 'inv_2', 'inv_1']);
  });
});
