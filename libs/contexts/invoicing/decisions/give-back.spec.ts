import { describe, expect, it } from '@jest/globals';
import { Decimal, sumOf } from '#libs/kernel/core';
import type { AppliedTax, RequestedCreditAmounts, InvoiceLine } from '#libs/rating';
import { decide } from '#libs/kernel/testing';
import { invoiceOf, sampleEvents } from '../../../../test/support/sample-invoice.js';
import { taxesToGiveBack } from '../credit-notes/creditable-invoice.js';
import type { InvoiceEvent } from '../events.js';
import { invoiceDecider } from '../decider.js';
import { amountToPay } from '../invoice.js';
import { creditableLines } from '../creditable-lines.js';

const at = '2026-02-01T00:00:00.000Z';
const reference = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '120.00' };
const line = (id: string, amount: string): InvoiceLine => ({
  id,
  type: 'flat',
  description: id,
  priceId: id,
  priceVersion: 1,
  quantity: '1',
  amount,
  periodStart: at,
  periodEnd: '2026-03-01T00:00:00.000Z',
});
const vat: AppliedTax = {
  taxRateId: 'tax_1',
  name: 'VAT',
  percentage: '20',
  inclusive: false,
  taxable: '100.00',
  amount: '20.00',
};
const { started, voided, paid } = sampleEvents;
const draft = sampleEvents.created({
  total: '120.00',
  lines: [line('a', '60.00'), line('b', '40.00')],
  taxes: [vat],
});
const opened = sampleEvents.opened({ total: '120.00' });
const open = [draft, opened];

const part = (lineId: string, amount: string) => ({ lineId, amount });
const give = (byInvoiceId: string, ...lines: ReturnType<typeof part>[]) =>
  ({ type: 'GiveBackLines', at, invoiceId: 'inv_1', byInvoiceId, lines }) as const;
const given_ = (byInvoiceId: string, ...lines: ReturnType<typeof part>[]): InvoiceEvent => ({
  type: 'InvoiceLinesGivenBack',
  data: { at, ...reference, byInvoiceId, lines },
});
const giveReturn = { type: 'UndoGiveBack', at, invoiceId: 'inv_1', byInvoiceId: 'inv_2' } as const;
const returned: InvoiceEvent = {
  type: 'InvoiceGiveBackReturned',
  data: { at, ...reference, byInvoiceId: 'inv_2' },
};
const note = (history: InvoiceEvent[], credit: RequestedCreditAmounts | null, creditNoteId = 'cn_1') =>
  invoiceDecider.decide(
    {
      type: 'IssueCreditNote',
      at,
      invoiceId: 'inv_1',
      creditNoteId,
      reason: 'other',
      memo: null,
      credit,
      target: null,
    },
    invoiceOf(...history),
  );
const noteOf = (events: InvoiceEvent[]) =>
  events.flatMap((event) => (event.type === 'CreditNoteIssued' ? [event.data.note] : []))[0]!;
const lefts = (...history: InvoiceEvent[]) => creditableLines(invoiceOf(...history)).map(({ left }) => left);

const { given } = decide(invoiceDecider);

describe('the give-back of a later invoice', () => {
  it('is recorded once on the invoice that charged it, in any payment state', () => {
    const half = give('inv_2', part('a', '30'));
    for (const history of [[draft], open, [...open, started()], [...open, paid()]])
      given(...history)
        .when(half)
        .then(given_('inv_2', part('a', '30.00')));
    given(...open, given_('inv_2', part('a', '30.00')))
      .when(half)
      .then();
    given(...open)
      .when(give('inv_2', part('b', '5.00'), part('a', '10.00'), part('a', '20.00')))
      .then(given_('inv_2', part('a', '30.00'), part('b', '5.00')));
    given(...open)
      .when(give('inv_2', part('a', '0.00')))
      .then();
    expect(lefts(...open, given_('inv_2', part('a', '30.00')))).toEqual(['30.00', '40.00']);
  });

  it('can be replaced by a recomputation, until it has reduced the amount due', () => {
    const before = [...open, given_('inv_2', part('a', '30.00'))];
    given(...before)
      .when(give('inv_2', part('a', '60.00')))
      .then(returned, given_('inv_2', part('a', '60.00')));
    given(...before)
      .when(give('inv_2'))
      .then(returned);
    given(...before)
      .when(give('inv_2', part('a', '60.01')))
      .refused('give_back_exceeds_line');
    const reduction = { at, ...reference, byInvoiceId: 'inv_2', amount: '10.00' };
    given(...before, { type: 'InvoiceReduced', data: reduction })
      .when(give('inv_2', part('a', '31.00')))
      .refused('give_back_used');
  });

  it('is at most the remaining amount of a line, after credit notes and other invoices', () => {
    given(...open)
      .when(give('inv_2', part('a', '60.01')))
      .refused('give_back_exceeds_line');
    given(...open)
      .when(give('inv_2', part('z', '0.01')))
      .refused('give_back_exceeds_line');
    given(...open, given_('inv_2', part('a', '30.00')))
      .when(give('inv_3', part('a', '30.01')))
      .refused('give_back_exceeds_line');
    const credited = [...open, ...note(open, { lines: [{ id: 'a', amount: '60.00' }] })];
    given(...credited)
      .when(give('inv_2', part('a', '0.01')))
      .refused('give_back_exceeds_line');
    given(...open, voided())
      .when(give('inv_2', part('a', '1.00')))
      .refused('give_back_exceeds_line');
  });

  it('is undone when the later invoice is voided', () => {
    const after = [...open, given_('inv_2', part('a', '60.00'))];
    given(...after)
      .when(giveReturn)
      .then(returned);
    given(...after, returned)
      .when(giveReturn)
      .then();
    expect(lefts(...after, returned)).toEqual(['60.00', '40.00']);
  });

  it('prevents a void of the invoice', () => {
    const voiding = { type: 'VoidInvoice', at, invoiceId: 'inv_1', reason: null } as const;
    const after = [...open, given_('inv_2', part('a', '60.00'))];
    given(...after)
      .when(voiding)
      .refused('invoice_given_back');
    expect(
      given(...after, returned)
        .when(voiding)
        .state()?.status,
    ).toBe('void');
  });
});

describe('the amount due of an invoice', () => {
  const apply = (amount: string) =>
    ({ type: 'ReduceByGiveBack', at, invoiceId: 'inv_1', byInvoiceId: 'inv_2', amount }) as const;
  const reduced = (amount: string, more: object = {}): InvoiceEvent => ({
    type: 'InvoiceReduced',
    data: { at, ...reference, byInvoiceId: 'inv_2', amount, ...more },
  });
  const settled: InvoiceEvent = { type: 'InvoicePaid', data: { at, ...reference, attemptId: null } };
  const writtenOff: InvoiceEvent = {
    type: 'InvoiceMarkedUncollectible',
    data: { at, ...reference, amount: '120.00' },
  };
  /** All of lines a and b, with their 20.00 of VAT. */
  const all: InvoiceEvent = {
    type: 'InvoiceLinesGivenBack',
    data: {
      at,
      ...reference,
      byInvoiceId: 'inv_2',
      lines: [part('a', '60.00'), part('b', '40.00')],
      taxes: [{ taxRateId: 'tax_1', amount: '20.00' }],
    },
  };

  it('is reduced once by a give-back, and zero means paid', () => {
    given(...open, all)
      .when(apply('50'))
      .then(reduced('50.00'));
    given(...open, all, reduced('50.00'))
      .when(apply('50'))
      .then();
    given(...open, all)
      .when(apply('500'))
      .then(reduced('120.00'), settled);
    const after = [...open, all, reduced('50.00')];
    expect(amountToPay(invoiceOf(...after))).toBe('70.00');
    given(...after)
      .when({
        type: 'StartPayment',
        at,
        invoiceId: 'inv_1',
        attemptId: 'pay_1',
        opening: null,
        method: { paymentMethodId: 'pm_1', type: 'test', test: 'pm_card_visa', label: 'Visa' },
      })
      .then({
        type: 'PaymentStarted',
        data: {
          at,
          ...reference,
          attemptId: 'pay_1',
          attempt: 1,
          amount: '70.00',
          method: { paymentMethodId: 'pm_1', type: 'test', test: 'pm_card_visa', label: 'Visa' },
        },
      });
  });

  it('is reduced at most by the give-back with its taxes', () => {
    const taxes = [{ taxRateId: 'tax_1', amount: '6.00' }];
    const some = given_('inv_2', part('a', '30.00'));
    const taxed = { ...some, data: { ...some.data, taxes } } as InvoiceEvent;
    given(...open, taxed)
      .when(apply('100'))
      .then(reduced('36.00'));
    given(...open)
      .when(apply('100'))
      .then();
  });

  it('is also reduced after a write-off, but not during a payment', () => {
    given(...open, all, writtenOff)
      .when(apply('120'))
      .then(reduced('120.00', { writtenOff: true }), settled);
    given(...open, all, started())
      .when(apply('120'))
      .refused('payment_in_progress');
    for (const history of [[draft], [...open, paid()]])
      given(...history, all)
        .when(apply('120'))
        .then();
    given(...open, all, reduced('50.00'))
      .when(giveReturn)
      .refused('give_back_used');
  });

  it('is deducted once from credit notes', () => {
    const taxes = [{ taxRateId: 'tax_1', amount: '12.00' }];
    const some = given_('inv_2', part('a', '60.00'));
    const history = [...open, { ...some, data: { ...some.data, taxes } } as InvoiceEvent, reduced('72.00')];
    const rest = note(history, null);
    expect(noteOf(rest)).toMatchObject({ total: '48.00', unpaid: '48.00' });
    expect(rest.map(({ type }) => type)).toEqual(['CreditNoteIssued', 'InvoicePaid']);
    const charged = [started(1, { amount: '48.00' }), sampleEvents.succeeded({ amount: '48.00' }), paid()];
    expect(noteOf(note([...history, ...charged], null))).toMatchObject({ total: '48.00', refunded: '48.00' });
  });
});

describe('a credit note on an invoice with a give-back', () => {
  const giveBack: InvoiceEvent = {
    type: 'InvoiceLinesGivenBack',
    data: {
      at,
      ...reference,
      byInvoiceId: 'inv_2',
      lines: [part('a', '45.00')],
      taxes: [{ taxRateId: 'tax_1', amount: '9.00' }],
    },
  };

  it('is at most the remaining amount of the line, and of the invoice', () => {
    const amountNote = note(open, { amount: '24.00' });
    // Of the 20.00 without VAT, 12.00 belong to a and 8.00 to b. So 3.00 of a and 32.00 of b are left.
    const history = [...open, ...amountNote, giveBack];
    expect(lefts(...history)).toEqual(['3.00', '32.00']);
    expect(() => note(history, { lines: [{ id: 'a', amount: '3.01' }] }, 'cn_2')).toThrow(
      'at most the remaining amount',
    );
    expect(() => note(history, { amount: '42.01' }, 'cn_2')).toThrow('at most 42.00 USD is left');
    expect(noteOf(note(history, { lines: [{ id: 'a', amount: '3.00' }] }, 'cn_2'))).toMatchObject({
      total: '3.60',
    });
    const rest = noteOf(note(history, null, 'cn_2'));
    expect(rest).toMatchObject({ total: '42.00', taxes: [{ amount: '7.00' }] });
    const taxes = [noteOf(amountNote), rest].map(({ taxes: [tax] }) => tax!.amount);
    expect(sumOf([...taxes, '9.00']).toFixed(2)).toBe('20.00');
    expect(lefts(...history, ...note(history, null, 'cn_2'))).toEqual(['0.00', '0.00']);
  });

  it('is reduced by taxes that were added to the lines, but not by inclusive taxes', () => {
    const contained = { ...vat, taxRateId: 'tax_c', inclusive: true };
    const both = [
      sampleEvents.created({ total: '120.00', lines: [line('a', '100.00')], taxes: [contained, vat] }),
      opened,
    ];
    const back: InvoiceEvent = {
      type: 'InvoiceLinesGivenBack',
      data: {
        at,
        ...reference,
        byInvoiceId: 'inv_2',
        lines: [part('a', '50.00')],
        taxes: [
          { taxRateId: 'tax_1', amount: '10.00' },
          { taxRateId: 'tax_c', amount: '8.33' },
        ],
      },
    };
    const apply = {
      type: 'ReduceByGiveBack',
      at,
      invoiceId: 'inv_1',
      byInvoiceId: 'inv_2',
      amount: '100.00',
    } as const;
    expect(
      given(...both, back)
        .when(apply)
        .events(),
    ).toMatchObject([{ data: { amount: '60.00' } }]);
    const untaxed = { ...back, data: { ...back.data, taxes: undefined } } as InvoiceEvent;
    expect(
      given(...both, untaxed)
        .when(apply)
        .events(),
    ).toMatchObject([{ data: { amount: '50.00' } }]);
  });

  it('is recorded with its taxes, each line and tax once and in order', () => {
    const asked = {
      ...give('inv_2', part('b', '1.00'), part('a', '2.00'), part('b', '3.00')),
      taxes: [
        { taxRateId: 'tax_2', amount: '0.10' },
        { taxRateId: 'tax_1', amount: '0.20' },
        { taxRateId: 'tax_2', amount: '0.30' },
        { taxRateId: 'tax_3', amount: '0.00' },
      ],
    };
    const given2 = {
      ...given_('inv_2', part('a', '2.00'), part('b', '4.00')),
      data: {
        at,
        ...reference,
        byInvoiceId: 'inv_2',
        lines: [part('a', '2.00'), part('b', '4.00')],
        taxes: [
          { taxRateId: 'tax_1', amount: '0.20' },
          { taxRateId: 'tax_2', amount: '0.40' },
        ],
      },
    } as InvoiceEvent;
    given(...open)
      .when(asked)
      .then(given2);
    given(...open, given2)
      .when(asked)
      .then();
    const inOrder = give('inv_2', part('a', '2.00'), part('b', '4.00'));
    given(...open)
      .when(inOrder)
      .then(given_('inv_2', part('a', '2.00'), part('b', '4.00')));
    given(...open, given2)
      .when(inOrder)
      .then();
  });

  it('is identified by the later invoice', () => {
    const [second, third] = [given_('inv_2', part('a', '10.00')), given_('inv_3', part('a', '20.00'))];
    const apply = (byInvoiceId: string) =>
      ({ type: 'ReduceByGiveBack', at, invoiceId: 'inv_1', byInvoiceId, amount: '5.00' }) as const;
    const reduced = given(...open, second, third)
      .when(apply('inv_2'))
      .events();
    expect(
      given(...open, second, third, ...reduced)
        .when(apply('inv_3'))
        .events(),
    ).toHaveLength(1);
    given(...open, second, third, ...reduced)
      .when(apply('inv_2'))
      .then();
    given(...open, second, third, ...reduced)
      .when(giveReturn)
      .refused('give_back_used');
    expect(
      given(...open, second, third)
        .when({ ...apply('inv_3'), amount: '100.00' })
        .events(),
    ).toMatchObject([{ data: { amount: '20.00' } }]);
    const state = given(...open, second, third, returned).state()!;
    expect(state.givenBack.map(({ byInvoiceId }) => byInvoiceId)).toEqual(['inv_3']);
  });

  it('gives back the rest of a tax that was rounded', () => {
    const odd = sampleEvents.created({
      total: '12.56',
      lines: [line('a', '10.55')],
      taxes: [{ ...vat, percentage: '19', amount: '2.01' }],
    });
    const history = [odd, sampleEvents.opened({ total: '12.56' })];
    const taxes = taxesToGiveBack(invoiceOf(...history), [part('a', '5.29')]);
    expect(taxes).toEqual([{ taxRateId: 'tax_1', amount: '1.01' }]);
    const after = [
      ...history,
      {
        type: 'InvoiceLinesGivenBack',
        data: { at, ...reference, byInvoiceId: 'inv_2', lines: [part('a', '5.29')], taxes },
      } as const,
    ];
    const { total, taxes: rest } = noteOf(note(after, null));
    expect([total, rest[0]!.amount]).toEqual(['6.26', '1.00']);
    expect(new Decimal(total).plus('5.29').plus('1.01').toFixed(2)).toBe('12.56');
  });

  it('can credit the charge of a line if the invoice also gives back another part', () => {
    // 80.00 for a, less 50.00 of an earlier invoice, with 6.00 of VAT: all of a can still be given back, with its 16.00 of VAT.
    const mixed = sampleEvents.created({
      total: '36.00',
      lines: [line('a', '80.00'), line('b', '-50.00')],
      taxes: [{ ...vat, amount: '6.00' }],
    });
    const history = [mixed, sampleEvents.opened({ total: '36.00' })];
    const state = invoiceOf(...history);
    expect(taxesToGiveBack(state, [part('a', '80.00')])).toEqual([{ taxRateId: 'tax_1', amount: '16.00' }]);
    const half = {
      type: 'InvoiceLinesGivenBack',
      data: {
        at,
        ...reference,
        byInvoiceId: 'inv_2',
        lines: [part('a', '40.00')],
        taxes: [{ taxRateId: 'tax_1', amount: '8.00' }],
      },
    } as const;
    expect(noteOf(note([...history, half], null))).toMatchObject({
      total: '36.00',
      taxes: [{ amount: '6.00' }],
    });
  });
});
