import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { DEFERRED_ACCOUNTS, EARNED_ACCOUNTS } from './revenue-accounts.js';

const EARNED = sqlList(EARNED_ACCOUNTS);
const DEFERRED = sqlList(DEFERRED_ACCOUNTS);

/** The dates that a report includes, such as `2026-01-01`. Both ends are included. */
export interface DateRange {
  readonly first: string;
  readonly last: string;
}

/**
 * The sources of a month's revenue, and of its reductions.
 *
 * - `billed`: what invoices of the month earned when they were opened. The earned amounts of invoices that were voided in the month are
 *   deducted.
 * - `deferred`: the earned part, in this month, of fees that were deferred by an invoice of this or an earlier month. A credit note or its void
 *   also posts the part that is earned and not posted yet. A void adds the deferred part that the note had reversed and whose time has passed.
 * - `unbilled`: the change, in the month, of the amount that is earned and not yet invoiced
 * - `credits`: prepaid credits that were used
 * - `breakage`: prepaid credits that expired, or were voided without a credit note
 * - `contra`: credit notes, and refunds that were made at the payment processor itself. Both reduce revenue. Voided credit notes and failed
 *   refunds add their amounts again. Prepaid credits that were voided with a credit note offset that credit note.
 */
export const REVENUE_SOURCES = ['billed', 'deferred', 'unbilled', 'credits', 'breakage', 'contra'] as const;
export type RevenueSource = (typeof REVENUE_SOURCES)[number];

/** The amount that was earned in a month from one source. */
export interface EarnedAmount {
  readonly month: string;
  readonly currency: string;
  readonly source: RevenueSource;
  readonly amount: DecimalString;
}

/** An amount in the waterfall report that was earned in one month, or is still deferred. */
export interface WaterfallAmount {
  readonly currency: string;
  /** The month in which the invoice was opened; `prepaid_credits` for bought credits and their use; `unbilled` for accruals. */
  readonly booked: string;
  /** The month in which the amount was earned. The month is null if the amount is still deferred. */
  readonly month: string | null;
  readonly amount: DecimalString;
}

/** The resources by which a report can be grouped. */
export const REVENUE_GROUPINGS = ['customer', 'plan', 'price'] as const;
export type RevenueGrouping = (typeof REVENUE_GROUPINGS)[number];

/** The revenue of a customer, a plan or a price. */
export interface GroupRevenue {
  readonly currency: string;
  /** The id of the customer, plan or price. The id is null for revenue of no plan or price, or of several plans. */
  readonly id: string | null;
  /** The revenue that was earned in the date range. */
  readonly recognised: DecimalString;
  /** The amount `recognised` plus the change of `deferred` in the date range. */
  readonly booked: DecimalString;
  /** The amount that is invoiced and not yet earned at the end of the date range. */
  readonly deferred: DecimalString;
  /** The amount that is earned and not yet invoiced at the end of the date range. */
  readonly unbilled: DecimalString;
}

/**
 * A credit note, voided credit note or void invoice in the date range that changed earned revenue, if its invoice was opened in an earlier
 * month.
 */
export interface ChangeToEarlierInvoice {
  readonly date: string;
  readonly currency: string;
  readonly description: string;
  readonly customerId: string;
  readonly invoiceId: string;
  readonly invoiceNumber: string | null;
  /** The month in which the invoice was opened. */
  readonly belongsTo: string;
  /**
   * The change of the earned amount. A credit note or a void invoice takes back what was earned. The change is above zero for a voided credit
   * note. The void of a credit note also includes the deferred revenue that is earned and not posted yet.
   */
  readonly amount: DecimalString;
}

/** The month of each invoice. An invoice belongs to the month in which it was opened. */
const OPENED = `opened AS (
  SELECT invoice_id, left(min(date), 7) AS month FROM read.ledger_postings
  WHERE workspace_id = $1 AND event_type = 'InvoiceOpened' AND transaction_id = event_id GROUP BY invoice_id)`;

/** The ledger postings that reports sum up. Reports include only postings that have taken effect by the present time. */
const POSTED = `posted AS (
  SELECT * FROM read.ledger_postings
  WHERE workspace_id = $1 AND date <= $2 AND at <= $3
    AND (account IN ${EARNED} OR account IN ${DEFERRED} OR account = 'unbilled_receivables'))`;

/** The only subscription of a posting's invoice, or the subscription whose revenue was accrued. Null for all other postings. */
const SUBSCRIPTION_ID = `coalesce(
  (SELECT i.state->>'subscriptionId' FROM read.invoices i WHERE i.workspace_id = p.workspace_id AND i.id = p.invoice_id),
  CASE WHEN p.event_type = 'RevenueAccrued' AND split_part(p.stream, '.', 3) = '' THEN split_part(p.stream, '.', 2) END)`;

/** The amount of an invoice line after coupons. */
const NET = `(line->>'amount')::numeric - coalesce((line->>'discount')::numeric, 0)`;

/**
 * The plan of a posting. A posting of an invoice belongs to the plan of the invoice's only subscription. A posting of an accrual belongs to
 * the plan of the subscription whose revenue was accrued. The plan is always the present plan of the subscription. After a change of the
 * plan, earlier postings therefore belong to the new plan. Accrued overage of credits has no plan, because its event stream has a customer
 * and a credit type but no subscription.
 */
const PLAN_ID = `(SELECT s.plan_id FROM read.subscriptions s
  WHERE s.workspace_id = p.workspace_id AND s.id = ${SUBSCRIPTION_ID})`;

const KEYS: Readonly<Record<RevenueGrouping, string>> = {
  customer: 'p.customer_id',
  price: 'p.detail',
  plan: PLAN_ID,
};

/**
 * Sums up ledger postings for reports on revenue. All amounts of revenue reports are sums of postings, so they agree with the trial
 * balance.
 */
@Injectable()
export class RevenueQueries {
  constructor(private readonly pool: Pool) {}

  /** Returns the earliest date of a posting, such as `2026-01-31`. Undefined if there are no postings. */
  async firstPostedDate(workspaceId: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ date: string | null }>(
      'SELECT min(date) AS date FROM read.ledger_daily_balances WHERE workspace_id = $1',
      [workspaceId],
    );
    return rows[0]?.date ?? undefined;
  }

  /** Returns the amounts that were earned in the months of the date range, by month, currency and source. */
  async earnedAmounts(
    workspaceId: string,
    { first, last }: DateRange,
    now: Instant,
  ): Promise<EarnedAmount[]> {
    const { rows } = await this.pool.query<EarnedAmount>(
      `WITH ${POSTED}
       SELECT month, currency, source, sum(-amount)::text AS amount FROM (
         SELECT left(date, 7) AS month, currency, amount,
           CASE WHEN account = 'refunds' THEN 'contra'
             WHEN account = 'breakage' THEN 'breakage'
             WHEN event_type = 'RevenueAccrued' THEN 'unbilled'
             WHEN event_type LIKE 'Credits%' THEN 'credits'
             WHEN transaction_id <> event_id OR event_type LIKE 'CreditNote%' THEN 'deferred'
             ELSE 'billed' END AS source
         FROM posted WHERE account IN ${EARNED} AND date >= $4) parts
       GROUP BY month, currency, source ORDER BY month, currency, source`,
      [workspaceId, last, now, first],
    );
    return rows;
  }

  /** Returns the amounts of the waterfall report up to the last date of the range. */
  async waterfallAmounts(workspaceId: string, { last }: DateRange, now: Instant): Promise<WaterfallAmount[]> {
    const { rows } = await this.pool.query<WaterfallAmount>(
      `WITH ${OPENED}, ${POSTED}
       SELECT currency, booked, month, sum(-amount)::text AS amount FROM (
         SELECT p.currency, p.amount,
           CASE WHEN p.event_type = 'RevenueAccrued' THEN 'unbilled'
             WHEN p.account = 'prepaid_credits' OR o.month IS NULL THEN 'prepaid_credits'
             ELSE o.month END AS booked,
           CASE WHEN p.account IN ${EARNED} THEN left(p.date, 7) END AS month
         FROM posted p LEFT JOIN opened o USING (invoice_id) WHERE p.account <> 'unbilled_receivables') parts
       GROUP BY currency, booked, month ORDER BY currency, booked, month`,
      [workspaceId, last, now],
    );
    return rows;
  }

  /**
   * Returns the revenue of each customer, plan or price that has revenue in the date range. Also returns those that have deferred or
   * unbilled revenue at the end of the range. Deferred revenue is invoiced and not yet earned. Unbilled revenue is earned and not yet
   * invoiced.
   */
  async revenueByGroup(
    workspaceId: string,
    group: RevenueGrouping,
    { first, last }: DateRange,
    now: Instant,
  ): Promise<GroupRevenue[]> {
    const { rows } = await this.pool.query<GroupRevenue>(
      `WITH ${POSTED}
       SELECT * FROM (
         SELECT currency, id,
           coalesce(sum(-amount) FILTER (WHERE account IN ${EARNED} AND date >= $4), 0)::text AS recognised,
           coalesce(sum(-amount) FILTER (WHERE account <> 'unbilled_receivables' AND date >= $4), 0)::text AS booked,
           coalesce(sum(-amount) FILTER (WHERE account IN ${DEFERRED}), 0)::text AS deferred,
           coalesce(sum(amount) FILTER (WHERE account = 'unbilled_receivables'), 0)::text AS unbilled
         FROM (SELECT p.currency, p.account, p.amount, p.date, ${KEYS[group]} AS id FROM posted p) parts
         GROUP BY currency, id) sums
       WHERE recognised::numeric <> 0 OR booked::numeric <> 0 OR deferred::numeric <> 0 OR unbilled::numeric <> 0
       ORDER BY currency, id`,
      [workspaceId, last, now, first],
    );
    return rows;
  }

  /**
   * Returns the revenue of some prices that each subscription earned in the date range, by currency. A posting of an invoice for several
   * subscriptions is divided among them in proportion to their lines of the price. So the amounts of metered prices are exact: their
   * postings are sums of these lines.
   */
  async revenueBySubscription(
    workspaceId: string,
    priceIds: readonly string[],
    { first, last }: DateRange,
    now: Instant,
  ): Promise<{ subscriptionId: string; currency: string; amount: DecimalString }[]> {
    const { rows } = await this.pool.query<{
      subscriptionId: string;
      currency: string;
      amount: DecimalString;
    }>(
      `WITH ${POSTED},
       earned AS (
         SELECT p.workspace_id, p.invoice_id, p.detail, p.currency, -p.amount AS amount, ${SUBSCRIPTION_ID} AS subscription_id
         FROM posted p WHERE p.account IN ${EARNED} AND p.date >= $4 AND p.detail = ANY($5)),
       divided AS (
         SELECT subscription_id, currency, amount FROM earned WHERE subscription_id IS NOT NULL
         UNION ALL
         SELECT part.subscription_id, e.currency, e.amount * part.net / part.total
         FROM (SELECT workspace_id, invoice_id, detail, currency, sum(amount) AS amount
           FROM earned WHERE subscription_id IS NULL GROUP BY 1, 2, 3, 4) e
         JOIN read.invoices i ON i.workspace_id = e.workspace_id AND i.id = e.invoice_id
         CROSS JOIN LATERAL (
           SELECT line->>'subscriptionId' AS subscription_id, sum(${NET}) AS net, nullif(sum(sum(${NET})) OVER (), 0) AS total
           FROM jsonb_array_elements(i.state->'lines') line WHERE line->>'priceId' = e.detail GROUP BY 1) part)
       SELECT subscription_id AS "subscriptionId", currency, sum(amount)::text AS amount
       FROM divided WHERE subscription_id IS NOT NULL AND amount IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`,
      [workspaceId, last, now, first, [...priceIds]],
    );
    return rows;
  }

  /**
   * Returns the credit notes and voids of the date range whose invoices were opened in earlier months, oldest first. A credit note or void
   * that changed only deferred revenue is left out. The revenue that a credit note posts is a release of deferred revenue, so it is no
   * change.
   */
  async changesToEarlierInvoices(
    workspaceId: string,
    { first, last }: DateRange,
    now: Instant,
  ): Promise<ChangeToEarlierInvoice[]> {
    const { rows } = await this.pool.query<ChangeToEarlierInvoice>(
      `WITH ${OPENED}, ${POSTED}
       SELECT date, currency, description, customer_id AS "customerId", p.invoice_id AS "invoiceId",
         invoice_number AS "invoiceNumber", o.month AS "belongsTo", sum(-amount)::text AS amount
       FROM posted p JOIN opened o USING (invoice_id)
       WHERE account IN ${EARNED} AND date >= $4 AND left(date, 7) > o.month AND transaction_id = event_id
         AND event_type IN ('CreditNoteNumbered', 'CreditNoteVoided', 'InvoiceVoided')
         AND (event_type <> 'CreditNoteNumbered' OR account = 'refunds')
       GROUP BY at, position, date, currency, description, customer_id, p.invoice_id, invoice_number, o.month
       ORDER BY at, position`,
      [workspaceId, last, now, first],
    );
    return rows;
  }
}

function sqlList(accounts: readonly string[]): string {
  return `(${accounts.map((account) => `'${account}'`).join(', ')})`;
}
