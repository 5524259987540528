import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addSeconds, AppError, Decimal, minorUnitDigits, sumOf, type Instant } from '#libs/kernel/core';
import { aggregateId, fold, type RecordedEvent } from '#libs/kernel/domain';
import {
  amountToPay,
  BILLING_DEFAULTS,
  succeededPayments,
  invoiceDecider,
  amountPaidByCard,
  type Invoice,
  type InvoiceDetails,
  type InvoiceEvent,
} from '#libs/contexts/invoicing';
import type { InvoiceLine } from '#libs/rating';
import { recordedEvent } from '#libs/kernel/testing';
import { postingRules } from '#libs/manifest';
import { accountBalance } from '../../../test/support/account-balance.js';
import type { AccountCode } from './accounts.js';
import { InMemoryLedger } from './in-memory-ledger.js';
import type { LedgerTransaction } from './transaction.js';

describe('any history of invoices', () => {
  it('sums to zero in each workspace and currency after each event, and at every moment', () => {
    fc.assert(
      fc.property(histories, ([invoices, steps, until]) => {
        const journal = new InMemoryLedger(postingRules());
        const posted: LedgerTransaction[] = [];
        for (const event of historyOf(invoices, steps)) {
          const transaction = journal.post(event);
          if (transaction) posted.push(transaction);
          const inEffect = [...posted, ...journal.scheduledTransactionsUntil(until)];
          for (const workspaceId of WORKSPACES)
            for (const currency of CURRENCIES) expect(balance(inEffect, workspaceId, currency)).toBe('0');
        }
      }),
    );
  });

  it('leads to the account balances that follow from the invoices', () => {
    fc.assert(
      fc.property(histories, ([invoices, steps]) => {
        const history = historyOf(invoices, steps);
        const journal = new InMemoryLedger(postingRules());
        const posted = history.flatMap((event) => journal.post(event) ?? []);
        const all = [...posted, ...journal.scheduledTransactionsUntil('2999-01-01T00:00:00.000Z')];
        const byStream = Map.groupBy(history, ({ stream }) => stream);
        const states = [...byStream.values()].map((events) => ({
          workspaceId: events[0]!.metadata.workspaceId,
          invoice: fold(invoiceDecider, events as never) as Invoice,
        }));
        for (const workspaceId of WORKSPACES)
          for (const currency of CURRENCIES) {
            const on = (...accounts: AccountCode[]) => balance(all, workspaceId, currency, ...accounts);
            const invoicesThat = (...statuses: Invoice['status'][]) =>
              states
                .filter((one) => one.workspaceId === workspaceId && one.invoice.currency === currency)
                .filter((one) => statuses.includes(one.invoice.status))
                .map((one) => one.invoice);
            const issued = invoicesThat('open', 'paid', 'uncollectible');
            const payments = issued.flatMap(({ recordedPayments }) => succeededPayments(recordedPayments));
            const fromBalance = payments.filter(({ method }) => method === 'balance');
            const received = payments.filter(({ method }) => method !== 'balance');
            const due = (...statuses: Invoice['status'][]) =>
              sumOf(invoicesThat(...statuses).map((one) => amountToPay(one))).toFixed();
            const charged = sumOf(issued.flatMap(({ lines }) => lines.map(({ amount }) => amount)));
            const used = sumOf([
              ...issued.map(({ balanceApplied }) => balanceApplied),
              ...fromBalance.map(({ amount }) => amount),
            ]);
            const added = sumOf([
              ...issued.map(({ excess }) => excess ?? '0'),
              ...received.map(({ toBalance }) => toBalance),
            ]);
            expect(on('accounts_receivable')).toBe(due('open'));
            expect(on('bad_debt')).toBe(due('uncollectible'));
            expect(due('paid')).toBe('0');
            const charges = sumOf(issued.map((one) => amountPaidByCard(one).toFixed()));
            expect(on('cash')).toBe(charges.plus(sumOf(received.map(({ amount }) => amount))).toFixed());
            expect(on('customer_credit')).toBe(used.minus(added).plus(0).toFixed());
            // In the end, all charges have been earned.
            expect(on('revenue')).toBe(charged.negated().plus(0).toFixed());
            expect(on('deferred_revenue')).toBe('0');
          }
      }),
    );
  });
});

type Command = Parameters<typeof invoiceDecider.decide>[0];

/** The parts of generated histories: a few invoices of two workspaces, and commands for them in any order. */
const START = Date.UTC(2026, 0, 1);
const WORKSPACES = ['acc_1', 'acc_2'];
const CURRENCIES = ['USD', 'JPY', 'KWD'];
const moment = fc
  .integer({ min: 0, max: 800 })
  .map((hours) => new Date(START + hours * 3_600_000).toISOString());

const line = (currency: string): fc.Arbitrary<InvoiceLine> =>
  fc.record({
    id: fc.constant('line_1'),
    type: fc.constantFrom('usage' as const, 'flat' as const, 'one_time' as const),
    description: fc.constant('A line'),
    priceId: fc.constantFrom('price_1', 'price_2', 'price_3'),
    priceVersion: fc.constant(1),
    quantity: fc.constant('1'),
    amount: fc
      .integer({ min: -5_000, max: 1_000_000 })
      .map((units) =>
        new Decimal(units).times(`1e-${minorUnitDigits(currency)}`).toFixed(minorUnitDigits(currency)),
      ),
    periodStart: moment,
    periodEnd: moment,
  });

const invoice = fc.constantFrom(...CURRENCIES).chain((currency) =>
  fc.record({
    workspaceId: fc.constantFrom(...WORKSPACES),
    currency: fc.constant(currency),
    lines: fc.array(line(currency), { maxLength: 5 }),
  }),
);

const step = fc.record({
  invoice: fc.nat(),
  hours: fc.integer({ min: 0, max: 400 }),
  what: fc.constantFrom(
    ...(['open', 'pay', 'fail', 'void', 'write off', 'record', 'pay from balance', 'reverse'] as const),
  ),
  /** The customer's balance at the opening of an invoice or for its payment, or a recorded payment, in minor units. */
  balance: fc.integer({ min: 0, max: 500_000 }),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const histories = fc.tuple(
  fc.array(invoice, { minLength: 1, maxLength: 4 }),
  fc.array(step, { maxLength: 16 }),
  moment,
);

/** Runs the commands as the product does. A refused command leads to no event. */
function historyOf(
  invoices: { workspaceId: string; currency: string; lines: InvoiceLine[] }[],
  steps: Step[],
): RecordedEvent<InvoiceEvent>[] {
  const streams = invoices.map(() => [] as InvoiceEvent[]);
  const history: RecordedEvent<InvoiceEvent>[] = [];
  const run = (index: number, command: Command): void => {
    const { workspaceId } = invoices[index]!;
    const decided = decide(command, fold(invoiceDecider, streams[index]!));
    streams[index]!.push(...decided);
    const stream = `invoice-${aggregateId(workspaceId, command.invoiceId)}`;
    for (const event of decided)
      history.push(recordedEvent(stream, event, { workspaceId, occurredAt: command.at }));
  };
  let now: Instant = new Date(START).toISOString();
  for (const [index, { currency, lines }] of invoices.entries()) {
    const invoiceId = `inv_${index}`;
    run(index, {
      type: 'CreateInvoice',
      at: now,
      invoiceId,
      details: detailsOf(invoiceId, currency, lines, now),
    });
  }
  for (const { invoice: which, hours, what, balance: units } of steps) {
    now = addSeconds(now, hours * 3_600);
    const index = which % invoices.length;
    const digits = minorUnitDigits(invoices[index]!.currency);
    const opening = {
      number: `INV-${index}`,
      sellerName: null,
      balance: new Decimal(units).times(`1e-${digits}`).toFixed(digits),
    };
    const payments = fold(invoiceDecider, streams[index]!)?.recordedPayments;
    const names = { invoiceId: `inv_${index}`, attemptId: `att_${history.length}` };
    const reversed = succeededPayments(payments)[0]?.paymentId ?? 'none';
    for (const command of commandsFor(what, names, now, opening, reversed)) run(index, command);
  }
  return history;
}

function decide(command: Command, state: Invoice | undefined): InvoiceEvent[] {
  try {
    return invoiceDecider.decide(command, state);
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

function commandsFor(
  what: Step['what'],
  { invoiceId, attemptId }: { invoiceId: string; attemptId: string },
  at: Instant,
  opening: { number: string; sellerName: null; balance: string },
  reversed: string,
): Command[] {
  const method = { paymentMethodId: 'pm_1', type: 'test' as const, test: 'pm_card_visa', label: 'Visa' };
  const start: Command = { type: 'StartPayment', at, invoiceId, attemptId, method, opening };
  const end = (outcome: 'succeeded' | 'failed'): Command => ({
    type: 'CompletePayment',
    at,
    invoiceId,
    attemptId,
    outcome:
      outcome === 'succeeded' ? { status: outcome } : { status: outcome, code: 'declined', message: 'No' },
    retryRules: null,
  });
  const about = { at, invoiceId };
  const paymentId = attemptId;
  switch (what) {
    case 'open':
      return [{ type: 'OpenInvoice', ...about, opening }];
    case 'void':
      return [{ type: 'VoidInvoice', ...about, reason: null }];
    case 'write off':
      return [{ type: 'MarkUncollectible', ...about }];
    case 'record': {
      const payment = { paymentId, amount: opening.balance, paidAt: at, reference: null };
      if (new Decimal(payment.amount).isZero()) return [];
      return [{ type: 'RecordPayment', ...about, ...payment, method: 'cash' }];
    }
    case 'pay from balance':
      return [
        { type: 'StartBalancePayment', ...about, paymentId, amount: null, available: opening.balance },
        { type: 'CompleteBalancePayment', ...about, paymentId, succeeded: true },
      ];
    case 'reverse':
      return [{ type: 'ReversePayment', ...about, paymentId: reversed, reason: 'A mistake' }];
    case 'pay':
    case 'fail':
      return [start, end(what === 'pay' ? 'succeeded' : 'failed')];
  }
}

function detailsOf(invoiceId: string, currency: string, lines: InvoiceLine[], at: Instant): InvoiceDetails {
  const sum = sumOf(lines.map(({ amount }) => amount));
  const money = (amount: Decimal) => amount.toFixed(minorUnitDigits(currency));
  return {
    invoiceId,
    customerId: 'cust_1',
    currency,
    total: money(Decimal.max(sum, 0)),
    ...(sum.isNegative() ? { excess: money(sum.abs()) } : {}),
    subscriptionId: null,
    kind: 'cycle',
    lines: lines.map((one) =>
      one.periodStart <= one.periodEnd
        ? one
        : { ...one, periodStart: one.periodEnd, periodEnd: one.periodStart },
    ),
    periodStart: at,
    periodEnd: at,
    billedAt: at,
    billToName: 'Northwind Ltd',
    billToEmail: null,
    timezone: 'UTC',
    settings: BILLING_DEFAULTS,
  };
}

/** The balance of accounts of a workspace in a currency; of all accounts if none is named. */
function balance(
  transactions: readonly LedgerTransaction[],
  workspaceId: string,
  currency: string,
  ...accounts: AccountCode[]
): string {
  const own = transactions.filter((one) => one.workspaceId === workspaceId && one.currency === currency);
  return accountBalance(own, ...accounts).toFixed();
}
