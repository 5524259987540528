import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { RECEIVABLE_AGES, type ReceivableAge } from '#libs/contexts/invoicing';
import { isDateMoment, latestInstantOfDate, type ReportMoment } from '#libs/contexts/ledger';

/** The receivables to report. If a field is absent, receivables are not filtered by it. */
export interface AgeingRequest {
  /** All postings up to this moment are included. An instant must not be after `now`. */
  readonly at: ReportMoment;
  readonly now: Instant;
  readonly customerId?: string | undefined;
  readonly currency?: string | undefined;
}

/** A part of a report: at most `limit` rows, after the first `offset` rows or after the row with the key `after`. */
export interface AgeingPart {
  readonly limit: number;
  readonly offset: number;
  readonly after?: readonly string[] | undefined;
}

/** What a customer owed on one invoice. */
export interface InvoiceReceivable {
  readonly customerId: string;
  /** Empty for a receivable that belongs to no invoice. */
  readonly invoiceId: string;
  readonly invoiceNumber: string | null;
  readonly currency: string;
  readonly dueDate: Instant | null;
  /** The number of days since the due date, each begun day in full. Zero if the invoice was not overdue. */
  readonly daysOverdue: number;
  /** An amount below zero is a refund on its way, and `current`. */
  readonly age: ReceivableAge;
  readonly amount: DecimalString;
}

/** What a customer owed in one currency, by age. */
export interface CustomerReceivable extends Readonly<Record<ReceivableAge, DecimalString>> {
  readonly customerId: string;
  readonly currency: string;
  /** The number of invoices. */
  readonly invoices: number;
  readonly total: DecimalString;
}

/** What all customers owed in one currency, by age. */
export type ReceivablesTotal = Omit<CustomerReceivable, 'customerId'>;

/**
 * The receivables of each invoice at a moment, as the ledger's account `accounts_receivable` had them. The age counts from the invoice's due
 * date. At a date, the due date is a date too, in the time zone of the invoice's dates.
 */
const RECEIVABLES = `WITH receivables AS (
    SELECT customer_id, coalesce(invoice_id, '') AS invoice_id, currency, sum(amount) AS amount FROM read.ledger_postings
    WHERE workspace_id = $1 AND account = 'accounts_receivable' AND at <= $2 AND ($3::text IS NULL OR date <= $3)
      AND ($4::text IS NULL OR customer_id = $4) AND ($5::text IS NULL OR currency = $5)
    GROUP BY 1, 2, 3 HAVING sum(amount) <> 0
  ), late AS (
    SELECT r.*, i.state->>'number' AS number, i.state->>'dueDate' AS due_date,
      CASE WHEN r.amount < 0 OR i.id IS NULL THEN 0 ELSE greatest(0, CASE WHEN $3::text IS NULL
        THEN ceil(extract(epoch FROM $2::timestamptz - (i.state->>'dueDate')::timestamptz) / 86400)::int
        ELSE $3::date - ((i.state->>'dueDate')::timestamptz
          AT TIME ZONE coalesce(i.state#>>'{settings,timezone}', i.state->>'timezone'))::date END) END AS days
    FROM receivables r LEFT JOIN read.invoices i ON i.workspace_id = $1 AND i.id = r.invoice_id
  ), aged AS (
    SELECT *, CASE WHEN days = 0 THEN 'current' WHEN days <= 30 THEN 'days1To30' WHEN days <= 60 THEN 'days31To60'
      WHEN days <= 90 THEN 'days61To90' ELSE 'over90' END AS age
    FROM late
  )`;

const SUMS = RECEIVABLE_AGES.map(
  (age) => `coalesce(sum(amount) FILTER (WHERE age = '${age}'), 0)::text AS "${age}"`,
).join(', ');

/** Reports what customers owed at a moment, from the ledger. */
@Injectable()
export class ReceivablesAgeingQueries {
  constructor(private readonly pool: Pool) {}

  /** Returns what was owed on each invoice, sorted by customer and then by invoice. */
  async byInvoice(
    workspaceId: string,
    request: AgeingRequest,
    { limit, offset, after }: AgeingPart,
  ): Promise<InvoiceReceivable[]> {
    const { rows } = await this.pool.query<InvoiceReceivable>(
      `${RECEIVABLES}
       SELECT customer_id AS "customerId", invoice_id AS "invoiceId", number AS "invoiceNumber", currency,
         due_date AS "dueDate", days AS "daysOverdue", age, amount::text AS amount
       FROM aged WHERE $6::text[] IS NULL OR (customer_id, invoice_id, currency) > ($6[1], $6[2], $6[3])
       ORDER BY customer_id, invoice_id, currency LIMIT $7 OFFSET $8`,
      [...parametersOf(workspaceId, request), after ?? null, limit, offset],
    );
    return rows;
  }

  /** Returns what each customer owed in each currency, sorted by customer. */
  async byCustomer(
    workspaceId: string,
    request: AgeingRequest,
    { limit, offset, after }: AgeingPart,
  ): Promise<CustomerReceivable[]> {
    const { rows } = await this.pool.query<CustomerReceivable>(
      `${RECEIVABLES}
       SELECT customer_id AS "customerId", currency, count(*)::int AS invoices, sum(amount)::text AS total, ${SUMS}
       FROM aged WHERE $6::text[] IS NULL OR (customer_id, currency) > ($6[1], $6[2])
       GROUP BY customer_id, currency ORDER BY customer_id, currency LIMIT $7 OFFSET $8`,
      [...parametersOf(workspaceId, request), after ?? null, limit, offset],
    );
    return rows;
  }

  /** Returns what all customers owed, by currency. */
  async totals(workspaceId: string, request: AgeingRequest): Promise<ReceivablesTotal[]> {
    const { rows } = await this.pool.query<ReceivablesTotal>(
      `${RECEIVABLES}
       SELECT currency, count(*)::int AS invoices, sum(amount)::text AS total, ${SUMS}
       FROM aged GROUP BY currency ORDER BY currency`,
      parametersOf(workspaceId, request),
    );
    return rows;
  }
}

function parametersOf(workspaceId: string, { at, now, customerId, currency }: AgeingRequest): unknown[] {
  if (!isDateMoment(at)) return [workspaceId, at, null, customerId ?? null, currency ?? null];
  // Entries of this date are no later in any time zone.
  const end = latestInstantOfDate(at);
  return [workspaceId, end < now ? end : now, at, customerId ?? null, currency ?? null];
}
