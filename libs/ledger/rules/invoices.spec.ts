import { describe, expect, it } from '@jest/globals';
import type { RecordedEvent } from '#libs/event-store';
import { BILLING_DEFAULTS, type InvoiceEvent } from '#libs/invoicing';
import type { InvoiceLine } from '#libs/rating';
import { recorded } from '#libs/testing';
import { accountText } from '../accounts.js';
import { post, type StreamBook } from '../post.js';
import type { LedgerTransaction } from '../transaction.js';

const reference = { invoiceId: 'inv_1', customerId: 'northwind', currency: 'USD' };
const january = { periodStart: '2026-01-01T00:00:00.000Z', periodEnd: '2026-02-01T00:00:00.000Z' };
const quarter = { periodStart: '2026-02-01T00:00:00.000Z', periodEnd: '2026-05-01T00:00:00.000Z' };
const february1 = '2026-02-01T00:00:00.000Z';

const line = (priceId: string, amount: string, more: Partial<InvoiceLine> = {}): InvoiceLine => ({
  id: `line_${priceId}`,
  type: 'usage',
  description: 'API calls',
  priceId,
  priceVersion: 1,
  quantity: '1',
  amount,
  ...january,
  ...more,
});

const happens = (event: InvoiceEvent) =>
  recorded<InvoiceEvent>('invoice-acc_1.inv_1', event, { occurredAt: event.data.at });

const created = (total: string, lines: InvoiceLine[], currency = 'USD') =>
  happens({
    type: 'InvoiceCreated',
    data: {
      ...reference,
      currency,
      at: february1,
      total,
      subscriptionId: 'sub_1',
      kind: 'cycle',
      lines,
      ...january,
      billedAt: february1,
      billToName: 'Northwind Ltd',
      billToEmail: null,
      timezone: 'UTC',
      settings: BILLING_DEFAULTS,
    },
  });
const opened = (total: string, at = february1, currency = 'USD') =>
  happens({
    type: 'InvoiceOpened',
    data: { ...reference, currency, at, total, number: 'INV-1', sellerName: null, dueDate: at },
  });
const paid = (total: string, at = february1) =>
  happens({
    type: 'PaymentSucceeded',
    data: { ...reference, at, total, attemptId: 'att_1', attempt: 1, amount: total },
  });
const voided = (total: string, at: string, number: string | null = 'INV-1') =>
  happens({ type: 'InvoiceVoided', data: { ...reference, at, total, number, reason: null } });

/** Specs of posting rules: what the last event adds to the ledger and takes away, in words. */
const ledger = {
  given: (...history: RecordedEvent<InvoiceEvent>[]) => ({
    when: (event: RecordedEvent<InvoiceEvent>) => {
      let book: StreamBook | undefined;
      for (const earlier of history) book = post(earlier, book).book;
      const posted = post(event, book);
      return {
        then: (...expected: string[]) => expect(posted.transactions.map(inWords)).toEqual(expected),
        callsOff: (...expected: string[]) => expect(posted.calledOff.map(inWords)).toEqual(expected),
        remembers: (kept: boolean) => expect(posted.book !== undefined).toBe(kept),
      };
    },
  }),
};

function inWords({ at, description, postings }: LedgerTransaction): string {
  const lines = postings.map((posting) => `${accountText(posting)} ${posting.amount}`);
  return `${at.slice(0, 16)} ${description}: ${lines.join(', ')}`;
}

describe('an invoice', () => {
  const usage = created('23.75', [line('price_1', '20.00'), line('price_2', '3.75')]);

  it('is nothing in the books while it is a draft', () => {
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

  it('owes its taxes, which are no revenue, whether they are added or contained', () => {
    const tax = { taxRateId: 'tax_1', name: 'VAT', percentage: '19', taxable: '0' };
    const taxed = (total: string, inclusive: boolean, amount: string) => {
      const event = created(total, [line('price_1', '70.00'), line('price_2', '49.00')]);
      return { ...event, data: { ...event.data, taxes: [{ ...tax, inclusive, amount }] } } as typeof event;
    };
    ledger
      .given(taxed('141.61', false, '22.61'))
      .when(opened('141.61'))
      .then(
        '2026-02-01T00:00 Invoice INV-1: accounts_receivable 141.61, revenue:price_1 -70, revenue:price_2 -49, tax_payable -22.61',
      );
    // 19.00 of 119.00, over 70.00 and 49.00: 11.18 and 7.82.
    const contained = taxed('119.00', true, '19.00');
    ledger
      .given(contained)
      .when(opened('119.00'))
      .then(
        '2026-02-01T00:00 Invoice INV-1: accounts_receivable 119, revenue:price_1 -58.82, revenue:price_2 -41.18, tax_payable -19',
      );
    ledger
      .given(contained, opened('119.00'))
      .when(voided('119.00', february1))
      .then(
        '2026-02-01T00:00 Invoice INV-1 voided: accounts_receivable -119, revenue:price_1 58.82, revenue:price_2 41.18, tax_payable 19',
      );
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

  it('posts nothing when it is over nothing', () => {
    ledger
      .given(created('0.00', [line('price_1', '0.00')]))
      .when(opened('0.00'))
      .then();
  });

  it('is taken back when it is voided', () => {
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

  it('is taken back, what is earned and what is not, when the invoice is voided; the rest is never earned', () => {
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

  it('goes on being earned after it was paid', () => {
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
              ...{ taxRateId: 'tax_1', name: 'VAT', percentage: '19' },
              ...{ inclusive: false, taxable: '10.00', amount: '1.90' },
            },
          ],
          total: '11.90',
          ...{ unpaid: '0.00', toBalance: '0.00', refunded: '0.00' },
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
        '2026-02-01T00:00 Credit note CN-1 on invoice INV-1: refunds 10, tax_payable 1.9, accounts_receivable -11.9',
      );
    ledger
      .given(...open, paid('119.00'), note(toCustomer))
      .when(numbered('cn_1', 'CN-1'))
      .then(
        '2026-02-01T00:00 Credit note CN-1 on invoice INV-1: refunds 10, tax_payable 1.9, customer_credit -5, accounts_receivable -6.9',
      );
  });

  it('is in the books from when it has its number, and no other note of the invoice is taken for it', () => {
    ledger
      .given(...open)
      .when(note({ unpaid: '11.90' }))
      .then();
    ledger
      .given(...open, paid('119.00'), note(toCustomer), note({ creditNoteId: 'cn_2', toBalance: '11.90' }))
      .when(numbered('cn_2', 'CN-1'))
      .then(
        '2026-02-01T00:00 Credit note CN-1 on invoice INV-1: refunds 10, tax_payable 1.9, customer_credit -11.9',
      );
  });

  it('lowers what was owed when it was issued, also if that was written off before it had its number', () => {
    const writtenOff = happens({
      type: 'InvoiceMarkedUncollectible',
      data: { ...reference, at: february1, total: '119.00', amount: '107.10' },
    });
    ledger
      .given(...open, note({ unpaid: '11.90' }), writtenOff)
      .when(numbered('cn_1', 'CN-1'))
      .then(
        '2026-02-01T00:00 Credit note CN-1 on invoice INV-1: refunds 10, tax_payable 1.9, accounts_receivable -11.9',
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

  it('is named by its transactions, besides the invoice', () => {
    let book: StreamBook | undefined;
    const named = [...open, paid('119.00'), note(toCustomer), numbered('cn_1', 'CN-1'), refunded('cn_1')].map(
      (event) => {
        const posted = post(event, book);
        book = posted.book;
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

  it('stops the ledger if it is numbered or refunded without having been issued', () => {
    expect(() => ledger.given(...open).when(numbered('cn_1', 'CN-1'))).toThrow('cn_1 was not issued');
    expect(() => ledger.given(...open, note(toCustomer)).when(refunded('cn_1'))).toThrow(
      'cn_1 is refunded before it has a number',
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

describe('an invoice that a later one gave back of', () => {
  const open = [created('20.00', [line('price_1', '20.00')]), opened('20.00')];
  const writtenOff = happens({
    type: 'InvoiceMarkedUncollectible',
    data: { ...reference, at: february1, total: '20.00', amount: '20.00' },
  });
  const reduced = happens({
    type: 'InvoiceReduced',
    data: { ...reference, at: february1, total: '20.00', byInvoiceId: 'inv_2', amount: '5.00' },
  });

  it('is owed less by what is taken off the credit of the customer', () => {
    ledger
      .given(...open)
      .when(reduced)
      .then(
        '2026-02-01T00:00 Invoice INV-1 reduced by what a later invoice gave back: customer_credit 5, accounts_receivable -5',
      );
  });

  it('recovers what was written off', () => {
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

  it('at an invoice whose lines do not make its total, and names the event', () => {
    const event = opened('20.01');
    expect(() => ledger.given(created('20.01', [line('price_1', '20.00')])).when(event)).toThrow(
      `InvoiceOpened (event ${event.id}) of ${stream} at position ${event.position} would put the ledger out of ` +
        'balance by 0.01 USD, effective 2026-02-01T00:00:00.000Z',
    );
  });

  it('at an amount that nobody can pay', () => {
    expect(() => ledger.given(created('0.005', [line('price_1', '0.005')])).when(opened('0.005'))).toThrow(
      'would post 0.005 USD, which has a fraction of the smallest unit',
    );
  });

  it('at events that do not follow from each other', () => {
    expect(() => ledger.given().when(opened('1.00'))).toThrow(
      /^InvoiceOpened \(event .*\) of invoice-acc_1\.inv_1 at position \d+ cannot be posted: the invoice is opened without a draft$/,
    );
    expect(() => ledger.given().when(paid('1.00'))).toThrow('paid without having been opened');
  });
});
