import { jsonNumber, moneyString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import type { RunReference } from '#libs/contexts/subscriptions';
import type { BillingFailure } from './events.js';

/** An invoice that a billing run created. */
export interface BillingRunInvoice {
  invoiceId: string;
  /** Null if the invoice bills several subscriptions of the customer. */
  subscriptionId: string | null;
  customerId: string;
  currency: string;
  total: DecimalString;
}

/** A billing run with its invoices and failures. A billing run can be requested or scheduled. */
export interface BillingRunReport {
  runId: string;
  trigger: RunReference['trigger'];
  startedAt: Instant;
  /**
   * The time at which a requested run ended; null while the run is in progress. For a scheduled run, the time of its newest event so far,
   * since no event marks its end.
   */
  finishedAt: Instant | null;
  /**
   * The number of subscriptions whose due changes the run applied, even if a change billed nothing. In a scheduled run, a subscription
   * counts once for each of its due changes.
   */
  subscriptions: number;
  /** The number of invoices that the run created. */
  invoiceCount: number;
  /** The sum of the totals of all invoices of the run, for each currency. */
  totals: { currency: string; total: DecimalString }[];
  /** The invoices that the run created; at most 100 if the report is from the list of runs. */
  invoices: BillingRunInvoice[];
  /** The number of subscriptions that the run could not bill. */
  failed: number;
  failures: BillingFailure[];
}

/** The statuses of a billing run. With `completed_with_errors`, the run could not bill at least one subscription. */
export const BILLING_RUN_STATUSES = ['running', 'completed', 'completed_with_errors'] as const;

/**
 * Converts a billing run to its form in the API. `invoices` and `failures` can be truncated, but the counts include all invoices and
 * failures.
 */
export function presentBillingRun(run: BillingRunReport) {
  return {
    id: run.runId,
    trigger: run.trigger,
    status: statusOf(run),
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    subscriptions: run.subscriptions,
    invoiceCount: run.invoiceCount,
    totals: run.totals.map(({ currency, total }) => ({ currency, total: jsonNumber(total) })),
    invoices: run.invoices.map((invoice) => ({
      id: invoice.invoiceId,
      subscriptionId: invoice.subscriptionId,
      customerId: invoice.customerId,
      total: jsonNumber(invoice.total),
      currency: invoice.currency,
    })),
    failed: run.failed,
    failures: run.failures,
  };
}

/** The sum of the invoice totals in each currency. */
export function totalsByCurrency(invoices: readonly BillingRunInvoice[]): BillingRunReport['totals'] {
  const byCurrency = Map.groupBy(invoices, ({ currency }) => currency);
  return [...byCurrency]
    .map(([currency, of]) => ({
      currency,
      total: moneyString(sumOf(of.map(({ total }) => total)), currency),
    }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

function statusOf({ finishedAt, failed }: BillingRunReport): (typeof BILLING_RUN_STATUSES)[number] {
  if (finishedAt === null) return 'running';
  return failed > 0 ? 'completed_with_errors' : 'completed';
}
