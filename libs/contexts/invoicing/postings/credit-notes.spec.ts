import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, minorUnitDigits, roundToCurrency, sumOf, type Instant } from '#libs/kernel/core';
import type { RecordedEvent } from '#libs/kernel/domain';
import { accountBalance } from '../../../../test/support/account-balance.js';
import { invoiceEvents } from '../../../../test/support/sample-invoice.js';
import type { CreditNoteDetails } from '../credit-notes/credit-note.js';
import type { InvoiceEvent } from '../events.js';
import { recordedEvent } from '#libs/kernel/testing';
import { compareTransactions, InMemoryLedger, type LedgerTransaction } from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';
import type { LineAllocation } from './invoice-posting-state.js';

describe('any credit notes on an invoice', () => {
  it('keep the sum of earned, deferred and given-back amounts equal to the charges at every moment', () => {
    fc.assert(
      fc.property(history, (one) => {
        const { events, booked } = eventsAndBookings(one);
        const all = transactionsOf(events);
        for (const moment of new Set(all.map((transaction) => transaction.at))) {
          const inEffect = all.filter((transaction) => transaction.at <= moment);
          const charged = sumOf(booked.filter((entry) => entry.at <= moment).map(({ amount }) => amount));
          const income = accountBalance(inEffect, 'revenue', 'deferred_revenue', 'refunds');
          expect(income.negated().plus(0).toFixed()).toBe(charged.toFixed());
          for (const priceId of ['price_1', 'price_2'])
            expect(deferred(inEffect, priceId).toNumber()).toBeGreaterThanOrEqual(0);
          expect(accountBalance(inEffect, 'refunds').toNumber()).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('leave nothing deferred in the end, and no revenue of what was given back in full', () => {
    fc.assert(
      fc.property(history, (one) => {
        const { events } = eventsAndBookings(one);
        const all = transactionsOf(events);
        expect(accountBalance(all, 'deferred_revenue').toFixed()).toBe('0');
        if (one.inFull) {
          expect(accountBalance(all, 'revenue', 'refunds').toFixed()).toBe('0');
          const last = events.at(-1)!.metadata.occurredAt;
          const byThen = all.filter((transaction) => transaction.at <= last);
          if (one.allocated) expect(accountBalance(byThen, 'deferred_revenue').toFixed()).toBe('0');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('in full leave nothing deferred, also if the remaining amount rounds to zero', () => {
    const { events } = eventsAndBookings({
      currency: 'USD',
      opened: 8_661,
      allocated: true,
      inFull: true,
      notes: [],
      lines: [{ type: 'flat', priceId: 'price_1', units: 8, start: 2_501, hours: 6_677 }],
    });
    const last = events.at(-1)!.metadata.occurredAt;
    const byThen = transactionsOf(events).filter((transaction) => transaction.at <= last);
    expect(accountBalance(byThen, 'deferred_revenue').toFixed()).toBe('0');
  });

  it('reverse exactly the deferred amount for the time after them', () => {
    const { events } = eventsAndBookings({
      currency: 'USD',
      opened: 0,
      allocated: true,
      inFull: false,
      lines: [{ type: 'flat', priceId: 'price_1', units: 36_500, start: 0, hours: 365 * 24 }],
      notes: [{ after: 100 * 24, shares: [50, 0, 0, 0], voidedAfter: null }],
    });
    const note = transactionsOf(events).filter(({ creditNoteId }) => creditNoteId !== null);
    expect(accountBalance(note, 'refunds').toFixed()).toBe('50');
    // 132.50 are given back. 10 days of April at 1.00 were not posted yet.
    expect(accountBalance(note, 'deferred_revenue').toFixed()).toBe('142.5');
    expect(accountBalance(note, 'revenue').toFixed()).toBe('-10');
  });

  it('that are void leave as much deferred and earned as without them', () => {
    const yearly = (notes: History['notes']) =>
      transactionsOf(
        eventsAndBookings({
          currency: 'USD',
          opened: 0,
          allocated: true,
          inFull: false,
          notes,
          lines: [{ type: 'flat', priceId: 'price_1', units: 36_500, start: 0, hours: 365 * 24 }],
        }).events,
      );
    // On 11 April half is credited, and on 21 May that credit note is voided.
    const undone = yearly([{ after: 100 * 24, shares: [50, 0, 0, 0], voidedAfter: 40 * 24 }]);
    const voiding = undone.filter(({ description }) => description.endsWith('voided'));
    // 132.50 had been removed from deferred revenue. 40 days of it at 0.50 have passed. 20 days of May at 0.50 were not posted yet.
    expect(accountBalance(voiding, 'refunds').toFixed()).toBe('-50');
    expect(accountBalance(voiding, 'deferred_revenue').toFixed()).toBe('-102.5');
    expect(accountBalance(voiding, 'revenue').toFixed()).toBe('-30');
    const never = yearly([]);
    for (const month of [4, 5, 8, 11]) {
      const end = new Date(Date.UTC(2026, month + 1, 1) - 1).toISOString();
      const byThen = (all: LedgerTransaction[]) => all.filter((transaction) => transaction.at <= end);
      for (const code of ['revenue', 'deferred_revenue', 'refunds'] as const)
        expect([month, code, accountBalance(byThen(undone), code).plus(0).toFixed()]).toEqual([
          month,
          code,
          accountBalance(byThen(never), code).plus(0).toFixed(),
        ]);
    }
  });

  it('leave as much deferred as a later change of the plan gives back', () => {
    const fee = { type: 'flat' as const, priceId: 'price_1' as const, start: 0, hours: 365 * 24 };
    const { events } = eventsAndBookings({
      currency: 'USD',
      opened: 0,
      allocated: true,
      inFull: false,
      lines: [{ ...fee, units: 36_500 }],
      notes: [{ after: 90 * 24, shares: [50, 0, 0, 0], voidedAfter: null }],
    });
    // 182.50 of the line are left. The last 184 days of it are unused: 92.00.
    const change = eventsAndBookings({
      currency: 'USD',
      opened: 181 * 24,
      allocated: true,
      inFull: false,
      lines: [{ ...fee, units: -9_200, start: 181 * 24, hours: 184 * 24 }],
      notes: [],
    });
    const moved = change.events.map((event) => ({ ...event, stream: 'invoice-acc_1.inv_2' }));
    const all = transactionsOf([...events, ...moved]);
    for (const [day, left] of [
      // The whole of June, 15.00, is earned at its end.
      [180, '107'],
      [182, '0'],
      [220, '0'],
      [400, '0'],
    ] as const) {
      const inEffect = all.filter((transaction) => transaction.at <= at(day * 24 + 23));
      expect([day, accountBalance(inEffect, 'deferred_revenue').negated().plus(0).toFixed()]).toEqual([
        day,
        left,
      ]);
    }
  });
});

describe('the void of a credit note whose refund was refused', () => {
  it('after a write-off makes only what the invoice owes again bad debt, not the refund', () => {
    const reference = { invoiceId: 'inv_1', customerId: 'northwind', currency: 'USD', total: '133.34' };
    const sample = invoiceEvents({ ...reference, at: at(0) });
    const note = { creditNoteId: 'cn_1', number: 'CN-1', amount: '30.00', reason: 'other' as const };
    const payment = { paymentId: 'rpay_1', amount: '90.00', method: 'check' as const };
    const data = { ...reference, at: at(1) };
    // 33.34 of the invoice are paid by card, and 90.00 by a check that bounces. 10.00 of the note reduce what is due.
    const events: InvoiceEvent[] = [
      sample.created(),
      sample.opened(),
      { type: 'PaymentSucceeded', data: { ...data, attemptId: 'pay_1', attempt: 1, amount: '33.34' } },
      { type: 'PaymentRecorded', data: { ...data, ...payment, paidAt: at(1) } },
      {
        type: 'CreditNoteIssued',
        data: {
          ...data,
          note: {
            ...note,
            issuedAt: at(1),
            memo: null,
            lines: [],
            discount: '0',
            taxes: [],
            allocations: [],
            total: '30.00',
            unpaid: '10.00',
            toBalance: '0',
            refunded: '20.00',
          },
        },
      },
      { type: 'CreditNoteNumbered', data: { ...data, ...note } },
      { type: 'CreditNoteRefundRefused', data: { ...data, ...note, message: 'Refused' } },
      { type: 'RecordedPaymentReversed', data: { ...data, ...payment, reason: 'Bounced' } },
      { type: 'InvoiceMarkedUncollectible', data: { ...data, amount: '90.00' } },
      { type: 'CreditNoteVoided', data: { ...data, ...note, reason: null } },
    ];
    const all = transactionsOf(
      events.map((event) => recordedEvent('invoice-acc_1.inv_1', event, { occurredAt: event.data.at })),
    );
    expect(accountBalance(all, 'accounts_receivable').toFixed()).toBe('0');
    expect(accountBalance(all, 'bad_debt').toFixed()).toBe('100');
  });
});

const START = Date.UTC(2026, 0, 1);
const at = (hours: number): Instant => new Date(START + hours * 3_600_000).toISOString();
const hour = fc.integer({ min: 0, max: 9_000 });
/** The parts of generated histories: an invoice of a few lines, and notes over shares of the remaining amounts. */
const history = fc.record({
  currency: fc.constantFrom('USD', 'JPY', 'KWD'),
  opened: hour,
  lines: fc.array(
    fc.record({
      type: fc.constantFrom('flat' as const, 'flat' as const, 'usage' as const),
      priceId: fc.constantFrom('price_1', 'price_2'),
      units: fc.integer({ min: 0, max: 500_000 }),
      start: hour,
      hours: fc.integer({ min: 0, max: 9_000 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  notes: fc.array(
    fc.record({
      after: fc.integer({ min: 0, max: 4_000 }),
      /** The share of each line that the note credits, in hundredths of the remaining amount. */
      shares: fc.array(fc.constantFrom(0, 1, 33, 50, 100), { minLength: 4, maxLength: 4 }),
      /** The hours until the note is voided, after the step before. Null: it is not voided. */
      voidedAfter: fc.option(fc.integer({ min: 0, max: 4_000 })),
    }),
    { maxLength: 4 },
  ),
  /** True if notes have allocations, as newer notes do. False if they have one amount. */
  allocated: fc.boolean(),
  /** True if a last note credits everything that is left. */
  inFull: fc.boolean(),
});
type History = typeof history extends fc.Arbitrary<infer One> ? One : never;

interface EventsAndBookings {
  events: RecordedEvent<InvoiceEvent>[];
  /** The charges of the invoice and the give-back of each note, with their instants. */
  booked: { at: Instant; amount: Decimal }[];
}

function eventsAndBookings({
  currency,
  opened,
  lines,
  notes,
  allocated,
  inFull,
}: History): EventsAndBookings {
  const money = (amount: Decimal) => amount.toFixed(minorUnitDigits(currency));
  const unit = new Decimal(`1e-${minorUnitDigits(currency)}`);
  const amounts = lines.map(({ units }) => unit.times(units));
  const total = money(sumOf(amounts));
  const reference = { invoiceId: 'inv_1', customerId: 'northwind', currency, total };
  const happens = (event: InvoiceEvent) =>
    recordedEvent<InvoiceEvent>('invoice-acc_1.inv_1', event, { occurredAt: event.data.at });
  let now = opened;
  const sample = invoiceEvents({ ...reference, at: at(now) });
  const events = [
    happens(
      sample.created({
        subscriptionId: null,
        kind: 'manual',
        periodStart: at(now),
        periodEnd: at(now),
        lines: lines.map(({ type, priceId, start, hours }, i) => ({
          id: `line_${i}`,
          type,
          description: 'A line',
          priceId,
          priceVersion: 1,
          quantity: '1',
          amount: money(amounts[i]!),
          periodStart: at(start),
          periodEnd: at(start + hours),
        })),
      }),
    ),
    happens(sample.opened({ number: 'INV-1', sellerName: null, dueDate: at(now) })),
  ];
  const booked = [{ at: at(now), amount: sumOf(amounts) }];
  const standing: { creditNoteId: string; number: string; given: Decimal[]; voidedAfter: number }[] = [];
  const issue = (id: number, shares: readonly number[], voidedAfter: number | null) => {
    const given = amounts.map((left, line) =>
      roundToCurrency(left.times(shares[line]!).dividedBy(100), currency),
    );
    if (sumOf(given).isZero()) return;
    for (const [line, amount] of given.entries()) amounts[line] = amounts[line]!.minus(amount);
    const allocations: LineAllocation[] = given.map((amount, line) => ({
      lineId: `line_${line}`,
      amount: money(amount),
    }));
    const [creditNoteId, number] = [`cn_${id}`, `CN-${id}`];
    const all = money(sumOf(given));
    const note: CreditNoteDetails & { allocations?: LineAllocation[] } = {
      creditNoteId,
      issuedAt: at(now),
      reason: 'other',
      memo: null,
      lines: [],
      discount: '0',
      taxes: [],
      total: all,
      unpaid: all,
      toBalance: '0',
      refunded: '0',
      ...(allocated ? { allocations } : {}),
    };
    const about = { ...reference, at: at(now), creditNoteId, number, amount: all };
    events.push(
      happens({ type: 'CreditNoteIssued', data: { ...reference, at: at(now), note } }),
      happens({ type: 'CreditNoteNumbered', data: { ...about, reason: 'other' } }),
    );
    booked.push({ at: at(now), amount: sumOf(given).negated() });
    if (voidedAfter !== null) standing.push({ creditNoteId, number, given, voidedAfter });
  };
  const voidAll = () => {
    for (const { creditNoteId, number, given, voidedAfter } of standing.splice(0)) {
      now += voidedAfter;
      for (const [line, amount] of given.entries()) amounts[line] = amounts[line]!.plus(amount);
      const about = { ...reference, at: at(now), creditNoteId, number, amount: money(sumOf(given)) };
      events.push(happens({ type: 'CreditNoteVoided', data: { ...about, reason: null } }));
      booked.push({ at: at(now), amount: sumOf(given) });
    }
  };
  for (const [id, { after, shares, voidedAfter }] of notes.entries()) {
    now += after;
    issue(id, shares, voidedAfter);
    // Every second note is voided only after the next note.
    if (id % 2 === 1) voidAll();
  }
  voidAll();
  if (inFull) {
    now += 100;
    issue(notes.length, [100, 100, 100, 100], null);
  }
  return { events, booked };
}

function transactionsOf(events: readonly RecordedEvent[]): LedgerTransaction[] {
  const journal = new InMemoryLedger(postingRules());
  const posted = events.flatMap((event) => journal.post(event) ?? []);
  return [...posted, ...journal.scheduledTransactionsUntil('2999-01-01T00:00:00.000Z')].sort(
    compareTransactions,
  );
}

function deferred(transactions: readonly LedgerTransaction[], priceId: string): Decimal {
  const ofPrice = transactions.map(({ postings, ...rest }) => ({
    ...rest,
    postings: postings.filter((posting) => posting.detail === priceId),
  }));
  return accountBalance(ofPrice, 'deferred_revenue').negated();
}
