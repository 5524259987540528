import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { CoalescedReads } from '#libs/kernel/system';
import { inTransaction, preparedStatement } from '#libs/kernel/postgres';

/** The kinds of documents that are numbered. Each kind has a separate sequence. */
export type NumberSeries = 'invoice' | 'credit_note';

/**
 * The number sequences of a workspace: one for invoices and one for credit notes. A sequence has no gaps, because tax law in many countries
 * requires that. A number is reserved under the invoice's id, so a retry gets the same number. The number of a voided draft is reused by
 * the next invoice.
 */
@Injectable()
export class InvoiceNumbers {
  /** The ids of the invoices that wait for a number, by sequence. */
  private readonly wanted = new Map<string, Set<string>>();
  private readonly reserving = new CoalescedReads<Map<string, string>>();

  constructor(private readonly pool: Pool) {}

  /**
   * Reserves the invoice's number in the sequence, and returns its digits. If the invoice has a number already, returns that number.
   * Simultaneous calls share one transaction, because each transaction locks the whole sequence.
   */
  async reserve(workspaceId: string, invoiceId: string, series: NumberSeries = 'invoice'): Promise<string> {
    // The id of a workspace has no dot, so no two sequences have the same key.
    const sequence = series === 'invoice' ? workspaceId : `${workspaceId}.${series}`;
    this.wanted.set(sequence, (this.wanted.get(sequence) ?? new Set()).add(invoiceId));
    const places = await this.reserving.read(sequence, () => this.reserveWanted(sequence));
    return places.get(invoiceId)!;
  }

  /** Returns the id of the invoice that has this sequence number in the workspace. Returns undefined if no invoice has the number. */
  async findIdBySequenceNumber(workspaceId: string, sequenceNumber: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ id: string | null }>(
      'SELECT invoice_id AS id FROM invoicing.numbers WHERE workspace_id = $1 AND number = $2',
      [workspaceId, sequenceNumber],
    );
    return rows[0]?.id ?? undefined;
  }

  /** Releases the number of an invoice that can never be opened. The next invoice gets the released number. */
  async release(workspaceId: string, invoiceId: string): Promise<void> {
    await this.pool.query(
      'UPDATE invoicing.numbers SET invoice_id = NULL WHERE workspace_id = $1 AND invoice_id = $2',
      [workspaceId, invoiceId],
    );
  }

  /** Reserves numbers for all waiting invoices of a sequence. Returns the reserved numbers by invoice id. */
  private async reserveWanted(workspaceId: string): Promise<Map<string, string>> {
    const wanted = [...(this.wanted.get(workspaceId) ?? [])];
    this.wanted.delete(workspaceId);
    const places = new Map<string, string>();
    await inTransaction(this.pool, async (tx) => {
      // The lock on this row prevents other transactions from using the sequence.
      await tx.query(preparedStatement(LOCK_SEQUENCE, [workspaceId]));
      for (const statement of [SELECT_RESERVED, REUSE_RELEASED, RESERVE_NEXT]) {
        const without = wanted.filter((invoiceId) => !places.has(invoiceId));
        if (without.length === 0) break;
        const { rows } = await tx.query<{ id: string; number: string }>(
          preparedStatement(statement, [workspaceId, without]),
        );
        for (const { id, number } of rows) places.set(id, number);
      }
    });
    return places;
  }
}

const LOCK_SEQUENCE = `
  INSERT INTO invoicing.sequences (workspace_id, last_number) VALUES ($1, 0)
  ON CONFLICT (workspace_id) DO UPDATE SET last_number = sequences.last_number`;

/** Selects the numbers that the invoices $2 of the sequence $1 already have. */
const SELECT_RESERVED = `
  SELECT invoice_id AS id, number FROM invoicing.numbers WHERE workspace_id = $1 AND invoice_id = ANY($2)`;

/** Assigns the lowest released numbers of the sequence $1 to the invoices $2. */
const REUSE_RELEASED = `
  UPDATE invoicing.numbers n SET invoice_id = w.id
  FROM (
    SELECT number, row_number() OVER (ORDER BY number) AS place
    FROM invoicing.numbers WHERE workspace_id = $1 AND invoice_id IS NULL ORDER BY number LIMIT cardinality($2::text[])
  ) f JOIN unnest($2::text[]) WITH ORDINALITY AS w (id, place) USING (place)
  WHERE n.workspace_id = $1 AND n.number = f.number RETURNING w.id, n.number`;

/** Assigns the next numbers of the sequence $1 to the invoices $2. */
const RESERVE_NEXT = `
  WITH counted AS (
    UPDATE invoicing.sequences SET last_number = last_number + cardinality($2::text[])
    WHERE workspace_id = $1 RETURNING last_number - cardinality($2::text[]) AS last_number
  )
  INSERT INTO invoicing.numbers (workspace_id, number, invoice_id)
  SELECT $1, last_number + place, id FROM counted, unnest($2::text[]) WITH ORDINALITY AS w (id, place)
  RETURNING invoice_id AS id, number`;
