import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Decimal, moneyString, type DecimalString, type Instant } from '#libs/kernel/core';
import type { RetryState } from '#libs/contexts/invoicing';

/** The number and amount of invoices with one state of payment retries and one currency. */
export interface PaymentRetryTotal {
  readonly state: RetryState;
  readonly currency: string;
  /** The number of invoices. */
  readonly invoices: number;
  /** The sum of the invoices' amounts due, or of the amounts paid if the state is `recovered`. */
  readonly amount: DecimalString;
  /** The earliest planned retry. The time is null unless the state is `scheduled`. */
  readonly nextAttemptAt: Instant | null;
}

/** Sums up the payment retries of a workspace. */
@Injectable()
export class PaymentRetryQueries {
  constructor(private readonly pool: Pool) {}

  /** Returns the totals by state and currency, sorted by state and then by currency. States without invoices are omitted. */
  async totals(workspaceId: string): Promise<PaymentRetryTotal[]> {
    const { rows } = await this.pool.query<PaymentRetryTotal>(
      `SELECT retry_state AS state, currency, count(*)::int AS invoices, sum(amount_due) AS amount,
         min(next_attempt_at) AS "nextAttemptAt"
       FROM read.invoices WHERE workspace_id = $1 AND retry_state IS NOT NULL
       GROUP BY retry_state, currency ORDER BY retry_state, currency`,
      [workspaceId],
    );
    return rows.map((row) => ({ ...row, amount: moneyString(new Decimal(row.amount), row.currency) }));
  }
}
