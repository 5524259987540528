import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { DecimalString } from '#libs/kernel/core';
import type { TaxExemption } from '#libs/contexts/customers';

/** The sums of the documents of one month with the same currency, country and tax rate. */
export interface TaxTotal {
  /** The month of the documents, such as `2026-01`. */
  readonly month: string;
  readonly currency: string;
  /** The country of the customer. Null if it is not known. */
  readonly country: string | null;
  /** Null for amounts without a tax. */
  readonly taxRateId: string | null;
  readonly name: string | null;
  readonly percentage: DecimalString | null;
  readonly exemption: TaxExemption | null;
  /** The number of documents: invoices, credit notes, voids of both, and prepaid credits that were taken back. */
  readonly documents: number;
  readonly net: DecimalString;
  readonly tax: DecimalString;
}

/** The documents that a tax report sums up: those of the months from `from` to `to`. */
export interface TaxReportRequest {
  readonly from: string;
  readonly to: string;
  readonly currency?: string | undefined;
  readonly country?: string | undefined;
}

/**
 * Sums up the net amounts and taxes of invoices and credit notes. What is taken back of prepaid credits after their payment went back has no
 * document. It is read from the ledger, and subtracts too.
 */
@Injectable()
export class TaxReportQueries {
  constructor(private readonly pool: Pool) {}

  /** Returns the totals by month, currency, country and tax rate, in this order. */
  async totals(workspaceId: string, { from, to, currency, country }: TaxReportRequest): Promise<TaxTotal[]> {
    const { rows } = await this.pool.query<TaxTotal>(
      `WITH entries AS (
         SELECT left(e.date, 7) AS month, i.currency, e.*
         FROM read.invoices i CROSS JOIN LATERAL jsonb_to_recordset(i.tax_entries) AS e (
           date text, country text, "taxRateId" text, name text, percentage text, exemption text, net numeric, tax numeric)
         WHERE i.workspace_id = $1 AND i.taxed_through >= $2 AND i.taxed_from <= $3 || '-31'
           AND ($4::text IS NULL OR i.currency = $4)
       ), returned AS (
         SELECT transaction_id, date, currency, invoice_id, sum(amount) AS net FROM read.ledger_postings
         WHERE workspace_id = $1 AND account = 'prepaid_credits' AND event_type = 'PurchasedCreditsTakenBack'
           AND date >= $2 AND date <= $3 || '-31' AND ($4::text IS NULL OR currency = $4)
         GROUP BY 1, 2, 3, 4
       ), all_entries AS (
         SELECT month, currency, country, "taxRateId", name, percentage, exemption, net, tax FROM entries
         UNION ALL
         SELECT left(r.date, 7), r.currency, i.state#>>'{billToAddress,country}', t.detail, rate->>'name', rate->>'percentage',
           CASE WHEN t.detail IS NULL THEN i.state->>'taxExemptionType' END, -r.net, -coalesce(t.amount, 0)
         FROM returned r JOIN read.invoices i ON i.workspace_id = $1 AND i.id = r.invoice_id
         LEFT JOIN read.ledger_postings t
           ON t.workspace_id = $1 AND t.account = 'tax_payable' AND t.transaction_id = r.transaction_id
         LEFT JOIN LATERAL jsonb_array_elements(coalesce(i.state->'taxes', '[]')) AS rate ON rate->>'taxRateId' = t.detail)
       SELECT month, currency, country, "taxRateId", name, percentage, exemption,
         count(*)::int AS documents, sum(net)::text AS net, sum(tax)::text AS tax
       FROM all_entries WHERE month >= $2 AND month <= $3 AND ($5::text IS NULL OR country = $5)
       GROUP BY 1, 2, 3, 4, 5, 6, 7
       ORDER BY month, currency, country NULLS FIRST, percentage::numeric DESC NULLS LAST, name, "taxRateId", exemption`,
      [workspaceId, from, to, currency ?? null, country ?? null],
    );
    return rows;
  }
}
