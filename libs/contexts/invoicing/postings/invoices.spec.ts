import { describe, expect, it } from '@jest/globals';
import type { RecordedEvent } from '#libs/kernel/domain';
import { invoiceEvents } from '../../../../test/support/sample-invoice.js';
import { BILLING_DEFAULTS } from '../settings/billing-settings.js';
import type { InvoiceEvent } from '../events.js';
import type { InvoiceLine } from '#libs/rating';
import { recordedEvent } from '#libs/kernel/testing';
import {
  accountKeyText,
  type LedgerTransaction,
  postEvent,
  type StreamPostingState,
} from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';

const rules = postingRules();
const reference = { invoiceId: 'inv_1', customerId: 'northwind', currency: 'USD' };
const january = { periodStart: '2026-01-01T00:00:00.000Z', periodEnd: '2026-02-01T00:00:00.000Z' };
const quarter = { periodStart: '2026-02-01T00:00:00.000Z', periodEnd: '2026-05-01T00:00:00.000Z' };
const february1 = '2026-02-01T00:00:00.000Z';

describe('an invoice', () => {
  const usage = created('23.75', [line('price_1', '20.00'), line('price_2', '3.75')]);

  it('has no postings while it is a draft', () => {
    ledger.given().when(usage).then();
    ledger
      .given(usage)
      .when(voided('23.75', february1, null))
      .then();
    ledger
      .given(usage)
      .when(voided('23.75', february1, null))
      .remembers(false);
  });

  it('is owed from its opening on, against the revenue of each price', () => {
    ledger
      .given(usage)
      .when(opened('23.75'))
      .then(
        '2026-02-01T00:00 Invoice INV-1: accounts_receivable 23.75, revenue:price_1 -20, revenue:price_2 -3.75',
      );
  });

  it('loses its payment by a lost dispute, and by a refund at the payment processor', () => {
    const { invoiceId, customerId, currency } = reference;
    const about = { invoiceId, customerId, currency, total: '23.75', at: february1, attemptId: 'pay_1' };
    const report = { disputeId: 'du_1', amount: '23.75', reason: 'fraudulent' };
    const dispute = (type: 'PaymentDisputed' | 'PaymentDisputeClosed', status: string) =>
      happens({ type, data: { ...about, ...report, status } });
    const paidUp = [usage, opened('23.75'), paid('23.75')];
    ledger
      .given(...paidUp)
      .when(dispute('PaymentDisputed', 'needs_response'))
      .then();
    ledger
      .given(...paidUp)
      .when(dispute('PaymentDisputeClosed', 'won'))
      .then();
    ledger
      .given(...paidUp)
      .when(dispute('PaymentDisputeClosed', 'lost'))
      .then('2026-02-01T00:00 Dispute of the payment of invoice INV-1 lost: bad_debt 23.75, cash -23.75');
    ledger
      .given(...paidUp)
      .when(happens({ type: 'GatewayRefundFound', data: { ...about, refundId: 're_1', amount: '5.00' } }))
      .then('2026-02-01T00:00 Invoice INV-1 refunded at the payment processor: refunds 5, cash -5');
    const failed = { ...about, refundId: 're_1', amount: '5.00', message: 'Closed' };
    ledger
      .given(...paidUp)
      .when(happens({ type: 'GatewayRefundFailed', data: failed }))
      .then('2026-02-01T00:00 Refund of invoice INV-1 failed at the payment processor: cash 5, refunds -5');
    ledger
      .given(...paidUp)
      .when(happens({ type: 'GatewayRefundFailed', data: { ...failed, unneeded: true } }))
      .then();
  });

  it('that is void loses nothing by a lost dispute or a refund of a charge that it did not need', () => {
    const { invoiceId, customerId, currency } = reference;
    const about = { invoiceId, customerId, currency, total: '23.75', at: february1, attemptId: 'pay_1' };
    const refund = { ...about, refundId: 're_1', amount: '5.00' };
    const report = { disputeId: 'du_1', amount: '23.75', reason: 'fraudulent', status: 'lost' };
    for (const event of [
      happens({ type: 'PaymentDisputeClosed', data: { ...about, ...report } }),
      happens({ type: 'GatewayRefundFound', data: refund }),
      happens({ type: 'GatewayRefundFailed', data: { ...refund, message: 'Closed' } }),
    ])
      ledger.given(usage, opened('23.75'), voided('23.75', february1)).when(event).then();
  });

  it('owes its taxes, which are not revenue, added or inclusive', () => {
    const tax = { taxRateId: 'tax_1', name: 'VAT', percentage: '19', taxable: '0' };
    const taxed = (total: string, inclusive: boolean, amount: string) => {
      const event = created(total, [line('price_1', '70.00'), line('price_2', '49.00')]);
      return { ...event, data: { ...event.data, taxes: [{ ...tax, inclusive, amount }] } } as typeof event;
    };
    ledger
      .given(taxed('141.61', false, '22.61'))
      .when(opened('141.61'))
      .then(
        '2026-02-01T00:00 Invoice INV-1: accounts_receivable 141.61, revenue:price_1 -70, revenue:price_2 -49, tax_payable:tax_1 -22.61',
      );
    // 19.00 of 119.00, over 70.00 and 49.00: 11.18 and 7.82.
    const contained = taxed('119.00', true, '19.00');
    ledger
      .given(contained)
      .when(opened('119.00'))
      .then(
        '2026-02-01T00:00 Invoice INV-1: accounts_receivable 119, revenue:price_1 -58.82, revenue:price_2 -41.18, tax_payable:tax_1 -19',
      );
    ledger
      .given(contained, opened('119.00'))
      .when(voided('119.00', february1))
      .then(
        '2026-02-01T00:00 Invoice INV-1 voided: accounts_receivable -119, revenue:price_1 58.82, revenue:price_2 41.18, tax_payable:tax_1 19',
      );
  });

  it('distributes an inclusive tax only over the lines that contain it', () => {
    const vat = (taxRateId: string, percentage: string, amount: string) => ({
      taxRateId,
      name: 'VAT',
      percentage,
      inclusive: true,
      taxable: '0',
      amount,
    });
    const lines = [
      line('price_1', '119.00', { taxRateIds: ['tax_19'] }),
      line('price_2', '53.50', { taxRateIds: ['tax_7'] }),
      line('price_3', '10.00', { taxRateIds: [] }),
    ];
    const event = created('182.50', lines);
    const taxes = [vat('tax_19', '19', '19.00'), vat('tax_7', '7', '3.50')];
    ledger
      .given({ ...event, data: { ...event.data, taxes, taxRateIds: ['tax_19'] } })
      .when(opened('182.50'))
      .then(
        '2026-02-01T00:00 Invoice INV-1: accounts_receivable 182.5, revenue:price_1 -100, revenue:price_2 -50, revenue:price_3 -10, tax_payable:tax_19 -19, tax_payable:tax_7 -3.5',
      );
  });

  it('gives tax back that was paid with an earlier invoice', () => {
    const back = line('price_1', '-50.00', { type: 'credit', ...january, taxRateIds: ['tax_20'] });
    const event = created('0.00', [back]);
    const tax = { taxRateId: 'tax_20', name: 'VAT', percentage: '20', inclusive: false };
    const taxes = [{ ...tax, taxable: '-50.00', amount: '-10.00' }];
    const details = { ...event.data, taxes, taxRateIds: [], excess: '60.00' };
    const open = opened('0.00');
    ledger
      .given({ ...event, data: details })
      .when({ ...open, data: { ...open.data, balanceCredited: '60.00' } })
      .then('2026-02-01T00:00 Invoice INV-1: revenue:price_1 50, tax_payable:tax_20 10, customer_credit -60');
  });

  it('adds up the lines of one price', () => {
    ledger
      .given(
        created('3.00', [line('price_1', '1.00', { group: 'eu' }), line('price_1', '2.00', { group: 'us' })]),
      )
      .when(opened('3.00'))
      .then('2026-02-01T00:00 Invoice INV-1: accounts_receivable 3, revenue:price_1 -3');
  });

  it('is settled by a payment', () => {
    ledger
      .given(usage, opened('23.75'))
      .when(paid('23.75'))
      .then('2026-02-01T00:00 Payment of invoice INV-1: cash 23.75, accounts_receivable -23.75');
  });

  it('posts nothing if its total is zero', () => {
    ledger
      .given(created('0.00', [line('price_1', '0.00')]))
      .when(opened('0.00'))
      .then();
  });

  it('is reversed when it is voided', () => {
    ledger
      .given(usage, opened('23.75'))
      .when(voided('23.75', '2026-02-10T00:00:00.000Z'))
      .then(
        '2026-02-10T00:00 Invoice INV-1 voided: accounts_receivable -23.75, revenue:price_1 20, revenue:price_2 3.75',
      );
  });

  it('keeps yen without a fraction and dinars with three digits', () => {
    ledger
      .given(created('1500', [line('price_1', '1500')], 'JPY'))
      .when(opened('1500', february1, 'JPY'))
      .then('2026-02-01T00:00 Invoice INV-1: accounts_receivable 1500, revenue:price_1 -1500');
    ledger
      .given(created('1.005', [line('price_1', '1.005')], 'KWD'))
      .when(opened('1.005', february1, 'KWD'))
      .then('2026-02-01T00:00 Invoice INV-1: accounts_receivable 1.005, revenue:price_1 -1.005');
  });
});

describe('a fee for a period', () => {
  const inAdvance = created('89.00', [line('price_1', '89.00', { type: 'flat', ...quarter })]);

  it('is deferred when it is billed in advance, and earned at the end of each month', () => {
    ledger
      .given(inAdvance)
      .when(opened('89.00'))
      .then(
        '2026-02-01T00:00 Invoice INV-1: accounts_receivable 89, deferred_revenue:price_1 -89',
        '2026-02-28T23:59 Invoice INV-1, earned through 2026-02-28: deferred_revenue:price_1 28, revenue:price_1 -28',
        '2026-03-31T23:59 Invoice INV-1, earned through 2026-03-31: deferred_revenue:price_1 31, revenue:price_1 -31',
        '2026-04-30T23:59 Invoice INV-1, earned through 2026-04-30: deferred_revenue:price_1 30, revenue:price_1 -30',
      );
  });

  it('is earned at once when it is billed in arrears', () => {
    ledger
      .given(created('20.00', [line('price_1', '20.00', { type: 'flat' })]))
      .when(opened('20.00'))
      .then('2026-02-01T00:00 Invoice INV-1: accounts_receivable 20, revenue:price_1 -20');
  });

  it('is earned at once for the months that were over when the invoice was opened', () => {
    ledger
      .given(inAdvance)
      .when(opened('89.00', '2026-04-10T00:00:00.000Z'))
      .then(
        '2026-04-10T00:00 Invoice INV-1: accounts_receivable 89, revenue:price_1 -59, deferred_revenue:price_1 -30',
        '2026-04-30T23:59 Invoice INV-1, earned through 2026-04-30: deferred_revenue:price_1 30, revenue:price_1 -30',
      );
  });

  it('shares its moments with the other fees of the invoice', () => {
    const lines = [
      line('price_1', '10.00', { type: 'flat', ...quarter, periodEnd: '2026-03-01T00:00:00.000Z' }),
      line('price_2', '89.00', { type: 'flat', ...quarter }),
      line('price_3', '5.00', { type: 'one_time', periodStart: february1, periodEnd: february1 }),
    ];
    ledger
      .given(created('104.00', lines))
      .when(opened('104.00', february1))
      .then(
        '2026-02-01T00:00 Invoice INV-1: accounts_receivable 104, revenue:price_3 -5, deferred_revenue:price_1 -10, deferred_revenue:price_2 -89',
        '2026-02-28T23:59 Invoice INV-1, earned through 2026-02-28: deferred_revenue:price_1 10, revenue:price_1 -10, deferred_revenue:price_2 28, revenue:price_2 -28',
        '2026-03-31T23:59 Invoice INV-1, earned through 2026-03-31: deferred_revenue:price_2 31, revenue:price_2 -31',
        '2026-04-30T23:59 Invoice INV-1, earned through 2026-04-30: deferred_revenue:price_2 30, revenue:price_2 -30',
      );
  });

  it('is reversed when the invoice is voided, earned and unearned, and the rest is never earned', () => {
    const voiding = ledger
      .given(inAdvance, opened('89.00'))
      .when(voided('89.00', '2026-03-31T23:59:59.999Z'));
    voiding.then(
      '2026-03-31T23:59 Invoice INV-1 voided: accounts_receivable -89, revenue:price_1 59, deferred_revenue:price_1 30',
    );
    voiding.callsOff(
      '2026-04-30T23:59 Invoice INV-1, earned through 2026-04-30: deferred_revenue:price_1 30, revenue:price_1 -30',
    );
    voiding.remembers(false);
  });

  it('is still earned after the payment', () => {
    const paying = ledger.given(inAdvance, opened('89.00')).when(paid('89.00', '2026-02-03T00:00:00.000Z'));
    paying.then('2026-02-03T00:00 Payment of invoice INV-1: cash 89, accounts_receivable -89');
    paying.callsOff();
  });
});

describe('a credit note', () => {
  const note = (change: object) =>
    happens({
      type: 'CreditNoteIssued',
      data: {
        ...reference,
        at: february1,
        total: '119.00',
        note: {
          creditNoteId: 'cn_1',
          issuedAt: february1,
          reason: 'other',
          memo: null,
          lines: [],
          discount: '0.00',
          taxes: [
            {
              taxRateId: 'tax_1',
              name: 'VAT',
              percentage: '19',
              inclusive: false,
              taxable: '10.00',
              amount: '1.90',
            },
          ],
          total: '11.90',
          unpaid: '0.00',
          toBalance: '0.00',
          refunded: '0.00',
          ...change,
        },
      },
    });
  const of = (creditNoteId: string) => ({ ...reference, at: february1, total: '119.00', creditNoteId });
  const numbered = (creditNoteId: string, number: string) =>
    happens({
      type: 'CreditNoteNumbered',
      data: { ...of(creditNoteId), number, amount: '11.90', reason: 'other' },
    });
  const refunded = (creditNoteId: string) =>
    happens({ type: 'CreditNoteRefunded', data: { ...of(creditNoteId), amount: '6.90' } });
  const open = [created('119.00', [line('price_1', '119.00')]), opened('119.00')];
  const toCustomer = { toBalance: '5.00', refunded: '6.90' };

  it('takes revenue and tax back from what is owed, or owes it to the customer, under its own number', () => {
    ledger
      .given(...open, note({ unpaid: '11.90' }))
      .when(numbered('cn_1', 'CN-1'))
      .then(
        '2026-02-01T00:00 Credit note CN-1 on invoice INV-1: refunds 10, tax_payable:tax_1 1.9, accounts_receivable -11.9',
      );
    ledger
      .given(...open, paid('119.00'), note(toCustomer))
      .when(numbered('cn_1', 'CN-1'))
      .then(
        '2026-02-01T00:00 Credit note CN-1 on invoice INV-1: refunds 10, tax_payable:tax_1 1.9, customer_credit -5, accounts_receivable -6.9',
      );
  });

  it('is posted when it gets its number, separately from other notes of the invoice', () => {
    ledger
      .given(...open)
      .when(note({ unpaid: '11.90' }))
      .then();
    ledger
      .given(...open, paid('119.00'), note(toCustomer), note({ creditNoteId: 'cn_2', toBalance: '11.90' }))
      .when(numbered('cn_2', 'CN-1'))
      .then(
        '2026-02-01T00:00 Credit note CN-1 on invoice INV-1: refunds 10, tax_payable:tax_1 1.9, customer_credit -11.9',
      );
  });

  it("reduces the account of its issue, also if the invoice was written off before the note's number", () => {
    const writtenOff = happens({
      type: 'InvoiceMarkedUncollectible',
      data: { ...reference, at: february1, total: '119.00', amount: '107.10' },
    });
    ledger
      .given(...open, note({ unpaid: '11.90' }), writtenOff)
      .when(numbered('cn_1', 'CN-1'))
      .then(
        '2026-02-01T00:00 Credit note CN-1 on invoice INV-1: refunds 10, tax_payable:tax_1 1.9, accounts_receivable -11.9',
      );
  });

  it('is paid back when its refund is made', () => {
    ledger
      .given(...open, paid('119.00'), note(toCustomer), numbered('cn_1', 'CN-1'))
      .when(refunded('cn_1'))
      .then(
        '2026-02-01T00:00 Refund of credit note CN-1 on invoice INV-1: accounts_receivable 6.9, cash -6.9',
      );
  });

  const voidedNote = (creditNoteId: string) =>
    happens({
      type: 'CreditNoteVoided',
      data: { ...of(creditNoteId), number: 'CN-1', amount: '11.90', reason: null },
    });

  it('is reversed when it is voided', () => {
    const issued = [...open, note({ unpaid: '11.90' }), numbered('cn_1', 'CN-1')];
    ledger
      .given(...issued)
      .when(voidedNote('cn_1'))
      .then(
        '2026-02-01T00:00 Credit note CN-1 on invoice INV-1 voided: refunds -10, tax_payable:tax_1 -1.9, accounts_receivable 11.9',
      );
    ledger
      .given(...open, paid('119.00'), note({ toBalance: '11.90' }), numbered('cn_1', 'CN-1'))
      .when(voidedNote('cn_1'))
      .then(
        '2026-02-01T00:00 Credit note CN-1 on invoice INV-1 voided: refunds -10, tax_payable:tax_1 -1.9, customer_credit 11.9',
      );
  });

  it('becomes bad debt when it is voided after a write-off', () => {
    const writtenOff = happens({
      type: 'InvoiceMarkedUncollectible',
      data: { ...reference, at: february1, total: '119.00', amount: '107.10' },
    });
    ledger
      .given(...open, note({ unpaid: '11.90' }), numbered('cn_1', 'CN-1'), writtenOff)
      .when(voidedNote('cn_1'))
      .then(
        '2026-02-01T00:00 Credit note CN-1 on invoice INV-1 voided: refunds -10, tax_payable:tax_1 -1.9, bad_debt 11.9',
      );
  });

  it('is named in its transactions, together with the invoice', () => {
    let book: StreamPostingState | undefined;
    const named = [...open, paid('119.00'), note(toCustomer), numbered('cn_1', 'CN-1'), refunded('cn_1')].map(
      (event) => {
        const posted = postEvent(rules, event, book);
        book = posted.nextState;
        return posted.transactions.map(({ invoiceId, creditNoteId }) => [invoiceId, creditNoteId]);
      },
    );
    expect(named).toEqual([
      [],
      [['inv_1', null]],
      [['inv_1', null]],
      [],
      [['inv_1', 'cn_1']],
      [['inv_1', 'cn_1']],
    ]);
  });

  it('stops the ledger if it is numbered, refunded or voided without having been issued', () => {
    expect(() => ledger.given(...open).when(numbered('cn_1', 'CN-1'))).toThrow('cn_1 was not issued');
    expect(() => ledger.given(...open, note(toCustomer)).when(refunded('cn_1'))).toThrow(
      'cn_1 is refunded before it has a number',
    );
    expect(() => ledger.given(...open, note(toCustomer)).when(voidedNote('cn_1'))).toThrow(
      'cn_1 is voided before it has a number',
    );
    const issued = [...open, note({ unpaid: '11.90' }), numbered('cn_1', 'CN-1'), voidedNote('cn_1')];
    expect(() => ledger.given(...issued).when(voidedNote('cn_1'))).toThrow('cn_1 was not issued');
  });
});

describe('a credit note on a prepaid fee', () => {
  const inAdvance = { type: 'flat' as const, ...quarter };
  const open = [created('89.00', [line('price_1', '89.00', inAdvance)]), opened('89.00')];
  const note = (at: string, total: string, change: object = {}, creditNoteId = 'cn_1') =>
    happens({
      type: 'CreditNoteIssued',
      data: {
        ...reference,
        at,
        total: '89.00',
        note: {
          creditNoteId,
          issuedAt: at,
          reason: 'other',
          memo: null,
          lines: [],
          discount: '0.00',
          taxes: [],
          total,
          unpaid: total,
          toBalance: '0.00',
          refunded: '0.00',
          ...change,
        },
      },
    });
  const numbered = (at: string, creditNoteId = 'cn_1') =>
    happens({
      type: 'CreditNoteNumbered',
      data: {
        ...reference,
        at,
        total: '89.00',
        creditNoteId,
        number: creditNoteId === 'cn_1' ? 'CN-1' : 'CN-2',
        amount: '0.00',
        reason: 'other',
      },
    });
  const allocated = (...parts: [lineId: string, amount: string][]) => ({
    allocations: parts.map(([lineId, amount]) => ({ lineId, amount })),
  });
  const march1 = '2026-03-01T00:00:00.000Z';

  it('takes the unearned part from deferred revenue, and the earned part from revenue', () => {
    const noting = ledger
      .given(...open, note(march1, '89.00', allocated(['line_price_1', '89.00'])))
      .when(numbered(march1));
    noting.then(
      '2026-03-01T00:00 Credit note CN-1 on invoice INV-1: refunds 28, deferred_revenue:price_1 61, accounts_receivable -89',
    );
    noting.callsOff(
      '2026-03-31T23:59 Invoice INV-1, earned through 2026-03-31: deferred_revenue:price_1 31, revenue:price_1 -31',
      '2026-04-30T23:59 Invoice INV-1, earned through 2026-04-30: deferred_revenue:price_1 30, revenue:price_1 -30',
    );
  });

  it('within a month earns what was delivered of it up to then', () => {
    const at = '2026-03-11T00:00:00.000Z';
    ledger
      .given(...open, note(at, '89.00', allocated(['line_price_1', '89.00'])))
      .when(numbered(at))
      .then(
        '2026-03-11T00:00 Credit note CN-1 on invoice INV-1: refunds 38, deferred_revenue:price_1 61, revenue:price_1 -10, accounts_receivable -89',
      );
  });

  it('over a part lowers what is earned later, month by month, as much as what was earned', () => {
    ledger
      .given(...open, note(march1, '44.50', allocated(['line_price_1', '44.50'])))
      .when(numbered(march1))
      .then(
        '2026-03-01T00:00 Credit note CN-1 on invoice INV-1: refunds 14, deferred_revenue:price_1 30.5, accounts_receivable -44.5',
        '2026-03-31T23:59 Invoice INV-1, earned through 2026-03-31: deferred_revenue:price_1 15.5, revenue:price_1 -15.5',
        '2026-04-30T23:59 Invoice INV-1, earned through 2026-04-30: deferred_revenue:price_1 15, revenue:price_1 -15',
      );
  });

  it('after another one takes back the rest of it', () => {
    const april1 = '2026-04-01T00:00:00.000Z';
    ledger
      .given(
        ...open,
        note(march1, '44.50', allocated(['line_price_1', '44.50'])),
        numbered(march1),
        note(april1, '44.50', allocated(['line_price_1', '44.50']), 'cn_2'),
      )
      .when(numbered(april1, 'cn_2'))
      .then(
        '2026-04-01T00:00 Credit note CN-2 on invoice INV-1: refunds 29.5, deferred_revenue:price_1 15, accounts_receivable -44.5',
      );
  });

  it('before its time begins is all deferred revenue, after its end all revenue', () => {
    const early = '2026-01-20T00:00:00.000Z';
    ledger
      .given(
        open[0]!,
        opened('89.00', '2026-01-15T00:00:00.000Z'),
        note(early, '89.00', allocated(['line_price_1', '89.00'])),
      )
      .when(numbered(early))
      .then(
        '2026-01-20T00:00 Credit note CN-1 on invoice INV-1: deferred_revenue:price_1 89, accounts_receivable -89',
      );
    const late = '2026-06-01T00:00:00.000Z';
    ledger
      .given(...open, note(late, '89.00', allocated(['line_price_1', '89.00'])))
      .when(numbered(late))
      .then('2026-06-01T00:00 Credit note CN-1 on invoice INV-1: refunds 89, accounts_receivable -89');
  });

  it('covers only its own lines, and the schedule of other lines stays', () => {
    const lines = [
      line('price_1', '89.00', inAdvance),
      line('price_2', '178.00', inAdvance),
      line('price_3', '10.00'),
    ];
    ledger
      .given(
        created('277.00', lines),
        opened('277.00'),
        note(march1, '99.00', allocated(['line_price_1', '89.00'], ['line_price_3', '10.00'])),
      )
      .when(numbered(march1))
      .then(
        '2026-03-01T00:00 Credit note CN-1 on invoice INV-1: refunds 38, deferred_revenue:price_1 61, accounts_receivable -99',
        '2026-03-31T23:59 Invoice INV-1, earned through 2026-03-31: deferred_revenue:price_2 62, revenue:price_2 -62',
        '2026-04-30T23:59 Invoice INV-1, earned through 2026-04-30: deferred_revenue:price_2 60, revenue:price_2 -60',
      );
  });

  it('with only lines or an amount, as in older versions, covers these lines or all remaining amounts', () => {
    const lines = [line('price_1', '100.00', { ...inAdvance, discount: '11.00' }), line('price_2', '11.00')];
    const both = [created('100.00', lines), opened('100.00')];
    const ofLine = { lines: [{ id: 'line_price_1', amount: '100.00' }], discount: '11.00' };
    ledger
      .given(...both, note(march1, '89.00', ofLine))
      .when(numbered(march1))
      .then(
        '2026-03-01T00:00 Credit note CN-1 on invoice INV-1: refunds 28, deferred_revenue:price_1 61, accounts_receivable -89',
      );
    ledger
      .given(...both, note(march1, '50.00'))
      .when(numbered(march1))
      .then(
        '2026-03-01T00:00 Credit note CN-1 on invoice INV-1: refunds 19.5, deferred_revenue:price_1 30.5, accounts_receivable -50',
        '2026-03-31T23:59 Invoice INV-1, earned through 2026-03-31: deferred_revenue:price_1 15.5, revenue:price_1 -15.5',
        '2026-04-30T23:59 Invoice INV-1, earned through 2026-04-30: deferred_revenue:price_1 15, revenue:price_1 -15',
      );
    ledger
      .given(...both, note(march1, '89.00', ofLine), numbered(march1), note(march1, '11.00', {}, 'cn_2'))
      .when(numbered(march1, 'cn_2'))
      .then('2026-03-01T00:00 Credit note CN-2 on invoice INV-1: refunds 11, accounts_receivable -11');
  });

  describe('with a later invoice that gives back the unused part', () => {
    const givenBack = (amount: string) =>
      happens({
        type: 'InvoiceLinesGivenBack',
        data: {
          ...reference,
          at: march1,
          total: '89.00',
          byInvoiceId: 'inv_2',
          lines: [{ lineId: 'line_price_1', amount }],
        },
      });
    const returned = happens({
      type: 'InvoiceGiveBackReturned',
      data: { ...reference, at: march1, total: '89.00', byInvoiceId: 'inv_2' },
    });
    const ofLine = (amount: string) => note(march1, amount, allocated(['line_price_1', amount]));

    it('is only revenue, because the later invoice takes the rest from deferred revenue', () => {
      ledger
        .given(...open, givenBack('61.00'), ofLine('28.00'))
        .when(numbered(march1))
        .then('2026-03-01T00:00 Credit note CN-1 on invoice INV-1: refunds 28, accounts_receivable -28');
    });

    it('takes as much from deferred revenue as it leaves there', () => {
      ledger
        .given(...open, givenBack('30.50'), ofLine('58.50'))
        .when(numbered(march1))
        .then(
          '2026-03-01T00:00 Credit note CN-1 on invoice INV-1: refunds 28, deferred_revenue:price_1 30.5, accounts_receivable -58.5',
          '2026-03-31T23:59 Invoice INV-1, earned through 2026-03-31: deferred_revenue:price_1 15.5, revenue:price_1 -15.5',
          '2026-04-30T23:59 Invoice INV-1, earned through 2026-04-30: deferred_revenue:price_1 15, revenue:price_1 -15',
        );
    });

    it('is as before if the later invoice is void', () => {
      ledger
        .given(...open, givenBack('61.00'), returned, ofLine('89.00'))
        .when(numbered(march1))
        .then(
          '2026-03-01T00:00 Credit note CN-1 on invoice INV-1: refunds 28, deferred_revenue:price_1 61, accounts_receivable -89',
        );
    });
  });

  it('takes no taxes from deferred revenue, added or inclusive', () => {
    const tax = { taxRateId: 'tax_1', name: 'VAT', percentage: '25', inclusive: true, taxable: '89.00' };
    const draft = created('111.25', [line('price_1', '111.25', inAdvance)]);
    const taxed = { ...draft, data: { ...draft.data, taxes: [{ ...tax, amount: '22.25' }] } } as typeof draft;
    const taxes = [{ ...tax, amount: '22.25' }];
    ledger
      .given(
        taxed,
        opened('111.25'),
        note(march1, '111.25', { ...allocated(['line_price_1', '111.25']), taxes }),
      )
      .when(numbered(march1))
      .then(
        '2026-03-01T00:00 Credit note CN-1 on invoice INV-1: refunds 28, deferred_revenue:price_1 61, tax_payable:tax_1 22.25, accounts_receivable -111.25',
      );
  });

  it('on an invoice that was written off reduces bad debt, and takes the same from deferred revenue', () => {
    const writtenOff = happens({
      type: 'InvoiceMarkedUncollectible',
      data: { ...reference, at: february1, total: '89.00', amount: '89.00' },
    });
    ledger
      .given(...open, writtenOff, note(march1, '89.00', allocated(['line_price_1', '89.00'])))
      .when(numbered(march1))
      .then(
        '2026-03-01T00:00 Credit note CN-1 on invoice INV-1: refunds 28, deferred_revenue:price_1 61, bad_debt -89',
      );
  });

  it('keeps yen whole', () => {
    const yen = [
      created('100', [line('price_1', '100', { type: 'flat', ...quarter })], 'JPY'),
      opened('100', february1, 'JPY'),
    ];
    const inYen = (event: RecordedEvent<InvoiceEvent>) =>
      ({ ...event, data: { ...event.data, currency: 'JPY' } }) as typeof event;
    ledger
      .given(...yen, inYen(note(march1, '50', allocated(['line_price_1', '50']))))
      .when(inYen(numbered(march1)))
      .then(
        // 31 were earned; 69 × 50/100 are 34.5.
        '2026-03-01T00:00 Credit note CN-1 on invoice INV-1: refunds 15, deferred_revenue:price_1 35, accounts_receivable -50',
        '2026-03-31T23:59 Invoice INV-1, earned through 2026-03-31: deferred_revenue:price_1 17, revenue:price_1 -17',
        '2026-04-30T23:59 Invoice INV-1, earned through 2026-04-30: deferred_revenue:price_1 17, revenue:price_1 -17',
      );
  });

  it('is named in its own postings, not in later releases of the invoice', () => {
    let book: StreamPostingState | undefined;
    for (const event of [...open, note(march1, '44.50', allocated(['line_price_1', '44.50']))])
      book = postEvent(rules, event, book).nextState;
    const named = postEvent(rules, numbered(march1), book).transactions.map(
      ({ creditNoteId }) => creditNoteId,
    );
    expect(named).toEqual(['cn_1', null, null]);
  });
});

describe('the date of a booking', () => {
  const inZone = (timezone: string, ofWorkspace: string | null) => {
    const event = created('28.00', [
      line('price_1', '28.00', {
        type: 'flat',
        periodStart: '2026-01-31T23:00:00.000Z',
        periodEnd: '2026-02-28T23:00:00.000Z',
      }),
    ]);
    const settings = { ...BILLING_DEFAULTS, timezone: ofWorkspace };
    return { ...event, data: { ...event.data, timezone, settings } } as typeof event;
  };
  const midnight = '2026-01-31T23:00:00.000Z';

  it("is the date of the document, in the workspace's time zone or else the customer's", () => {
    for (const draft of [inZone('Europe/Berlin', null), inZone('Asia/Tokyo', 'Europe/Berlin')]) {
      ledger
        .given(draft)
        .when(opened('28.00', midnight))
        .then(
          '2026-01-31T23:00 (2026-02-01) Invoice INV-1: accounts_receivable 28, deferred_revenue:price_1 -28',
          '2026-02-28T22:59 Invoice INV-1, earned through 2026-02-28: deferred_revenue:price_1 28, revenue:price_1 -28',
        );
      ledger
        .given(draft, opened('28.00', midnight))
        .when(paid('28.00', midnight))
        .then('2026-01-31T23:00 (2026-02-01) Payment of invoice INV-1: cash 28, accounts_receivable -28');
      ledger
        .given(draft, opened('28.00', midnight))
        .when(voided('28.00', midnight))
        .then(
          '2026-01-31T23:00 (2026-02-01) Invoice INV-1 voided: accounts_receivable -28, deferred_revenue:price_1 28',
        );
    }
  });

  it('is in UTC if nobody has a time zone', () => {
    ledger
      .given(inZone('UTC', null))
      .when(opened('28.00', midnight))
      .then(
        '2026-01-31T23:00 Invoice INV-1: accounts_receivable 28, deferred_revenue:price_1 -28',
        '2026-01-31T23:59 Invoice INV-1, earned through 2026-01-31: deferred_revenue:price_1 0.04, revenue:price_1 -0.04',
        '2026-02-28T22:59 Invoice INV-1, earned through 2026-02-28: deferred_revenue:price_1 27.96, revenue:price_1 -27.96',
      );
  });
});

describe('an invoice that is written off', () => {
  it('is bad debt, which a payment recovers, and a void too', () => {
    const open = [created('20.00', [line('price_1', '20.00')]), opened('20.00')];
    const writtenOff = happens({
      type: 'InvoiceMarkedUncollectible',
      data: { ...reference, at: february1, total: '20.00', amount: '20.00' },
    });
    ledger
      .given(...open)
      .when(writtenOff)
      .then('2026-02-01T00:00 Invoice INV-1 written off: bad_debt 20, accounts_receivable -20');
    ledger
      .given(...open, writtenOff)
      .when(paid('20.00'))
      .then('2026-02-01T00:00 Payment of invoice INV-1: cash 20, bad_debt -20');
    ledger
      .given(...open, writtenOff)
      .when(voided('20.00', february1))
      .then('2026-02-01T00:00 Invoice INV-1 voided: bad_debt -20, revenue:price_1 20');
  });
});

describe('an invoice with a give-back of a later invoice', () => {
  const open = [created('20.00', [line('price_1', '20.00')]), opened('20.00')];
  const writtenOff = happens({
    type: 'InvoiceMarkedUncollectible',
    data: { ...reference, at: february1, total: '20.00', amount: '20.00' },
  });
  const reduced = happens({
    type: 'InvoiceReduced',
    data: { ...reference, at: february1, total: '20.00', byInvoiceId: 'inv_2', amount: '5.00' },
  });

  it("is owed less, and the customer's credit is reduced by the same amount", () => {
    ledger
      .given(...open)
      .when(reduced)
      .then(
        '2026-02-01T00:00 Invoice INV-1 reduced by what a later invoice gave back: customer_credit 5, accounts_receivable -5',
      );
  });

  it("takes a refund of its payment from the customer's credit, and then from cash, unless it is refused", () => {
    const refund = { ...reference, at: february1, total: '20.00', byInvoiceId: 'inv_2', amount: '5.00' };
    const started = happens({ type: 'PaymentRefundStarted', data: refund });
    ledger
      .given(...open)
      .when(started)
      .then(
        '2026-02-01T00:00 Refund of invoice INV-1 for what a later invoice gave back: customer_credit 5, accounts_receivable -5',
      );
    ledger
      .given(...open, started)
      .when(happens({ type: 'PaymentRefunded', data: refund }))
      .then(
        '2026-02-01T00:00 Invoice INV-1 refunded for what a later invoice gave back: accounts_receivable 5, cash -5',
      );
    ledger
      .given(...open, started)
      .when(happens({ type: 'PaymentRefundRefused', data: { ...refund, message: 'Disputed' } }))
      .then(
        '2026-02-01T00:00 Refund of invoice INV-1 refused by the payment processor: accounts_receivable 5, customer_credit -5',
      );
    const failed = { ...refund, refundId: 're_1', message: 'Closed' };
    ledger
      .given(...open, started, happens({ type: 'PaymentRefunded', data: refund }))
      .when(happens({ type: 'PaymentRefundFailed', data: failed }))
      .then(
        '2026-02-01T00:00 Refund of invoice INV-1 failed at the payment processor: cash 5, customer_credit -5',
      );
  });

  it('reduces bad debt if it was written off', () => {
    ledger
      .given(...open, writtenOff)
      .when(reduced)
      .then(
        '2026-02-01T00:00 Invoice INV-1 reduced by what a later invoice gave back: customer_credit 5, bad_debt -5',
      );
  });
});

describe('the ledger stops', () => {
  const stream = 'invoice-acc_1.inv_1';

  it('at an invoice whose lines do not sum to its total, and names the event', () => {
    const event = opened('20.01');
    expect(() => ledger.given(created('20.01', [line('price_1', '20.00')])).when(event)).toThrow(
      `InvoiceOpened (event ${event.id}) of ${stream} at position ${event.position} would put the ledger out of ` +
        'balance by 0.01 USD, effective 2026-02-01T00:00:00.000Z',
    );
  });

  it('at an amount with fractions of the smallest unit', () => {
    expect(() => ledger.given(created('0.005', [line('price_1', '0.005')])).when(opened('0.005'))).toThrow(
      'would post 0.005 USD, which has a fraction of the smallest unit',
    );
  });

  it('at events in an impossible order', () => {
    expect(() => ledger.given().when(opened('1.00'))).toThrow(
      /^InvoiceOpened \(event .*\) of invoice-acc_1\.inv_1 at position \d+ cannot be posted: the invoice is opened without a draft$/,
    );
    expect(() => ledger.given().when(paid('1.00'))).toThrow('cannot be posted: the invoice was not opened');
  });
});

function line(priceId: string, amount: string, more: Partial<InvoiceLine> = {}): InvoiceLine {
  return {
    id: `line_${priceId}`,
    type: 'usage',
    description: 'API calls',
    priceId,
    priceVersion: 1,
    quantity: '1',
    amount,
    ...january,
    ...more,
  };
}

function happens<Event extends InvoiceEvent>(event: Event): RecordedEvent<Event> {
  return recordedEvent('invoice-acc_1.inv_1', event, { occurredAt: event.data.at });
}

function eventsOf(total: string, at: string, currency = 'USD') {
  return invoiceEvents({ ...reference, at, total, currency });
}

function created(total: string, lines: InvoiceLine[], currency = 'USD') {
  return happens(eventsOf(total, february1, currency).created({ lines, ...january }));
}

function opened(total: string, at = february1, currency = 'USD') {
  const event = eventsOf(total, at, currency).opened({ number: 'INV-1', sellerName: null, dueDate: at });
  return happens(event);
}

function paid(total: string, at = february1) {
  return happens(eventsOf(total, at).succeeded());
}

function voided(total: string, at: string, number: string | null = 'INV-1') {
  return happens(eventsOf(total, at).voided({ number }));
}

/** A test of posting rules in words: the postings that the last event adds to the ledger, and those that it cancels. */
const ledger = {
  given: (...history: RecordedEvent<InvoiceEvent>[]) => ({
    when: (event: RecordedEvent<InvoiceEvent>) => {
      let book: StreamPostingState | undefined;
      for (const earlier of history) book = postEvent(rules, earlier, book).nextState;
      const posted = postEvent(rules, event, book);
      return {
        then: (...expected: string[]) => expect(posted.transactions.map(inWords)).toEqual(expected),
        callsOff: (...expected: string[]) =>
          expect(posted.canceledTransactions.map(inWords)).toEqual(expected),
        remembers: (kept: boolean) => expect(posted.nextState !== undefined).toBe(kept),
      };
    },
  }),
};

function inWords({ date, at, description, postings }: LedgerTransaction): string {
  const lines = postings.map((posting) => `${accountKeyText(posting)} ${posting.amount}`);
  const dated = date === at.slice(0, 10) ? '' : ` (${date})`;
  return `${at.slice(0, 16)}${dated} ${description}: ${lines.join(', ')}`;
}
