import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { DecimalString, Instant } from '#libs/kernel/core';
import type { ReceivableAge } from '#libs/contexts/invoicing';

/** The amount that customers owe in one currency on open invoices of one age. */
export interface ReceivableTotal {
  readonly currency: string;
  readonly age: ReceivableAge;
  /** The number of invoices. */
  readonly invoices: number;
  /** The sum of the invoices' amounts due. */
  readonly amount: DecimalString;
}

/** Sums up what the customers of a workspace owe on open invoices. */
@Injectable()
export class ReceivablesQueries {
  constructor(private readonly pool: Pool) {}

  /** Returns the amounts due on open invoices at an instant, by currency and age. Ages without invoices are omitted. */
  async totalsByAge(workspaceId: string, now: Instant): Promise<ReceivableTotal[]> {
    const { rows } = await this.pool.query<ReceivableTotal>(
      `SELECT currency, age, count(*)::int AS invoices, sum(amount_due)::text AS amount FROM (
         SELECT currency, amount_due, CASE
           WHEN late <= interval '0' THEN 'current'
           WHEN late <= interval '30 days' THEN 'days1To30'
           WHEN late <= interval '60 days' THEN 'days31To60'
           WHEN late <= interval '90 days' THEN 'days61To90'
           ELSE 'over90' END AS age
         FROM (
           SELECT currency, amount_due, $2::timestamptz - (state->>'dueDate')::timestamptz AS late
           FROM read.invoices WHERE workspace_id = $1 AND status = 'open' AND amount_due > 0) open) aged
       GROUP BY currency, age ORDER BY currency, age`,
      [workspaceId, now],
    );
    return rows;
  }
}
