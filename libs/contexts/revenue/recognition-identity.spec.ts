import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addSeconds, Decimal, instantFromMillis, sumOf, type Instant } from '#libs/kernel/core';
import { fold, type RecordedEvent } from '#libs/kernel/domain';
import { recordedEvent } from '#libs/kernel/testing';
import { InMemoryLedger, type LedgerTransaction } from '#libs/contexts/ledger';
import type { InvoiceEvent } from '#libs/contexts/invoicing';
import { postingRules } from '#libs/manifest';
import { accountBalance } from '../../../test/support/account-balance.js';
import { invoiceEvents } from '../../../test/support/sample-invoice.js';
import { revenueAccrualDecider, type RevenueAccrual } from './accruals/revenue-accrual.js';
import { lastInstantOfMonth } from './book-months.js';

/*
 * At every moment, what is recognised and deferred, less what is unbilled, is what was billed by then: invoices less voids. Credit notes have
 * the same property in contexts/invoicing/postings/credit-notes.spec.ts.
 */

const START = Date.UTC(2026, 0, 1);
const hour = fc.integer({ min: 0, max: 8_000 });
const at = (hours: number): Instant => instantFromMillis(START + hours * 3_600_000);

const LINE_TYPES = ['flat', 'usage', 'credit', 'minimum', 'overage'] as const;
/** For each month: the unbilled cents, the hours until they are measured, and until the next bill. */
const accruals = fc.array(
  fc.record({
    cents: fc.integer({ min: 0, max: 100_000 }),
    /** What is missing to a minimum commitment. It has no price. */
    missing: fc.integer({ min: 0, max: 100_000 }),
    delay: fc.integer({ min: 0, max: 600 }),
    bill: fc.integer({ min: 0, max: 3_000 }),
  }),
  { maxLength: 8 },
);

const histories = fc.record({
  invoices: fc.array(
    fc.record({
      opened: hour,
      /** The hours until the void. Null: it is not voided. */
      voidedAfter: fc.option(fc.integer({ min: 0, max: 4_000 }), { nil: null }),
      lines: fc.array(
        fc.record({
          type: fc.constantFrom(...LINE_TYPES),
          cents: fc.integer({ min: 0, max: 500_000 }),
          start: hour,
          hours: fc.integer({ min: 0, max: 9_000 }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    { maxLength: 4 },
  ),
  /** Of a subscription, with its minimum commitment. */
  accruals,
  /** Of the overage of a wallet. It has no price and no minimum. */
  overage: accruals,
  moments: fc.array(hour, { minLength: 5, maxLength: 5 }),
});

it('recognised, deferred and unbilled are what was booked, at every moment', () => {
  fc.assert(
    fc.property(histories, ({ invoices, accruals, overage, moments }) => {
      const billed: { at: Instant; amount: Decimal }[] = [];
      const events = [
        ...invoices.flatMap((invoice, i) => eventsOf(invoice, i, billed)),
        ...accrualEvents('sub_1', accruals),
        ...accrualEvents(null, overage),
      ].sort((a, b) => (a.metadata.occurredAt < b.metadata.occurredAt ? -1 : 1));
      const all = transactionsOf(events);
      for (const moment of [...moments.map(at), ...all.map((one) => one.at)]) {
        const inEffect = all.filter((one) => one.at <= moment);
        const recognised = accountBalance(inEffect, 'revenue', 'breakage', 'refunds').negated();
        const deferred = accountBalance(inEffect, 'deferred_revenue', 'prepaid_credits').negated();
        const unbilled = accountBalance(inEffect, 'unbilled_receivables');
        const expected = sumOf(billed.filter((one) => one.at <= moment).map(({ amount }) => amount));
        expect(recognised.plus(deferred).minus(unbilled).toFixed(2)).toBe(expected.plus(0).toFixed(2));
      }
    }),
    { numRuns: 300 },
  );
});

type History = typeof histories extends fc.Arbitrary<infer One> ? One : never;

function eventsOf(
  { opened, voidedAfter, lines }: History['invoices'][0],
  index: number,
  billed: { at: Instant; amount: Decimal }[],
): RecordedEvent[] {
  const signed = lines.map(({ type, cents, ...line }) => ({
    ...line,
    type,
    amount: new Decimal(type === 'credit' ? -cents : cents).dividedBy(100),
  }));
  const sum = sumOf(signed.map(({ amount }) => amount));
  const [total, excess] = [Decimal.max(sum, 0), Decimal.max(sum.negated(), 0)].map((one) =>
    one.toFixed(2),
  ) as [string, string];
  const reference = { invoiceId: `inv_${index}`, customerId: 'northwind', currency: 'USD', total };
  const sample = invoiceEvents({ ...reference, at: at(opened) });
  const open = sample.opened({ number: `INV-${index}`, sellerName: null, dueDate: at(opened) });
  const events: InvoiceEvent[] = [
    sample.created({
      subscriptionId: null,
      kind: 'manual',
      periodStart: at(opened),
      periodEnd: at(opened),
      lines: signed.map(({ type, amount, start, hours }, i) => ({
        id: `line_${i}`,
        type,
        description: 'A line',
        priceId: `price_${i % 2}`,
        priceVersion: 1,
        quantity: '1',
        amount: amount.toFixed(2),
        periodStart: at(start),
        periodEnd: at(start + hours),
      })),
    }),
    { ...open, data: { ...open.data, balanceCredited: excess } },
  ];
  billed.push({ at: at(opened), amount: sum });
  // An invoice with an excess cannot be voided.
  if (voidedAfter !== null && sum.gte(0)) {
    const voidedAt = at(opened + voidedAfter);
    events.push({
      type: 'InvoiceVoided',
      data: { ...reference, at: voidedAt, reason: null },
    } as InvoiceEvent);
    billed.push({ at: voidedAt, amount: sum.negated() });
  }
  return events.map((event) =>
    recordedEvent(`invoice-acc_1.inv_${index}`, event, { occurredAt: event.data.at }),
  );
}

function accrualEvents(subscriptionId: string | null, accruals: History['accruals']): RecordedEvent[] {
  let state: RevenueAccrual | undefined;
  const stream = `revenueAccrual-acc_1.${subscriptionId ?? 'northwind.tokens'}`;
  return accruals.flatMap(({ cents, missing, delay, bill }, i) => {
    const month = `2026-0${i + 1}`;
    const end = lastInstantOfMonth(month, 'UTC');
    const unbilled = [
      { priceId: subscriptionId && 'price_1', cents },
      { priceId: null, cents: subscriptionId ? missing : 0 },
    ];
    const now = addSeconds(end, delay * 3_600);
    const events = revenueAccrualDecider.decide(
      {
        type: 'AccrueRevenue',
        subscriptionId,
        customerId: 'northwind',
        currency: 'USD',
        timezone: 'UTC',
        month,
        at: end,
        now,
        nextBillAt: addSeconds(end, bill * 3_600),
        unbilled: unbilled.flatMap(({ priceId, cents: amount }) =>
          amount === 0
            ? []
            : [{ priceId, amount: new Decimal(amount).dividedBy(100).toFixed(2), invoiceId: null }],
        ),
        ...(subscriptionId
          ? {}
          : {
              overage: {
                creditType: 'tokens',
                credits: [{ metricId: 'met_1', amount: '1' }],
                revision: `${i}`,
              },
            }),
      },
      state,
    );
    state = fold(revenueAccrualDecider, events, state);
    return events.map((event) => recordedEvent(stream, event, { occurredAt: now }));
  });
}

function transactionsOf(events: readonly RecordedEvent[]): LedgerTransaction[] {
  const ledger = new InMemoryLedger(postingRules());
  const posted: LedgerTransaction[] = [];
  const seen = new Map<string, LedgerTransaction>();
  for (const event of events) {
    for (const one of ledger.scheduledTransactionsUntil(event.metadata.occurredAt)) seen.set(one.id, one);
    const transaction = ledger.post(event);
    if (transaction) posted.push(transaction);
  }
  for (const one of ledger.scheduledTransactionsUntil('2999-01-01T00:00:00.000Z')) seen.set(one.id, one);
  return [...posted, ...seen.values()];
}
