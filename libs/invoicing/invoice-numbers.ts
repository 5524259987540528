import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction, type Queryable } from '#libs/postgres';

/** What is numbered; each in a sequence of its own. */
export type NumberSeries = 'invoice' | 'credit_note';

/**
 * A workspace's sequence of invoice numbers: consecutive, as tax law asks in many places. A place in it is reserved for an invoice by
 * its id, so a retry gets the same one; one that a voided draft cannot use goes to the next invoice.
 */
@Injectable()
export class InvoiceNumbers {
  constructor(private readonly pool: Pool) {}

  /** The invoice's place in the sequence, in digits: the one that it has, or the next. */
  async reserve(workspaceId: string, invoiceId: string, series: NumberSeries = 'invoice'): Promise<string> {
    // Workspaces' ids have no dot, so that no two sequences have the same key.
    const accountId = series === 'invoice' ? workspaceId : `${workspaceId}.${series}`;
    return inTransaction(this.pool, async (tx) => {
      // Whoever holds the workspace's row has its sequence alone.
      await tx.query(
        `INSERT INTO invoicing.sequences (account_id, last_number) VALUES ($1, 0)
         ON CONFLICT (account_id) DO UPDATE SET last_number = sequences.last_number`,
        [accountId],
      );
      return (
        (await this.known(tx, accountId, invoiceId)) ??
        (await this.givenBack(tx, accountId, invoiceId)) ??
        (await this.next(tx, accountId, invoiceId))
      );
    });
  }

  /** Gives back the number of an invoice that can never be opened any more. */
  async release(accountId: string, invoiceId: string): Promise<void> {
    await this.pool.query(
      'UPDATE invoicing.numbers SET invoice_id = NULL WHERE account_id = $1 AND invoice_id = $2',
      [accountId, invoiceId],
    );
  }

  private async known(tx: Queryable, accountId: string, invoiceId: string): Promise<string | undefined> {
    const { rows } = await tx.query<{ number: string }>(
      'SELECT number FROM invoicing.numbers WHERE account_id = $1 AND invoice_id = $2',
      [accountId, invoiceId],
    );
    return rows[0]?.number;
  }

  private async givenBack(tx: Queryable, accountId: string, invoiceId: string): Promise<string | undefined> {
    const { rows } = await tx.query<{ number: string }>(
      `UPDATE invoicing.numbers SET invoice_id = $2
       WHERE account_id = $1 AND number = (
         SELECT min(number) FROM invoicing.numbers WHERE account_id = $1 AND invoice_id IS NULL)
       RETURNING number`,
      [accountId, invoiceId],
    );
    return rows[0]?.number;
  }

  private async next(tx: Queryable, accountId: string, invoiceId: string): Promise<string> {
    const { rows } = await tx.query<{ number: string }>(
      `WITH next AS (
         UPDATE invoicing.sequences SET last_number = last_number + 1 WHERE account_id = $1 RETURNING last_number
       )
       INSERT INTO invoicing.numbers (account_id, number, invoice_id) SELECT $1, last_number, $2 FROM next
       RETURNING number`,
      [accountId, invoiceId],
    );
    return rows[0]!.number;
  }
}
