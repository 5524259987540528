import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { CoalescedReads } from '#libs/kernel/system';
import { inTransaction, prepared } from '#libs/kernel/postgres';

/** What is numbered; each in a sequence of its own. */
export type NumberSeries = 'invoice' | 'credit_note';

/**
 * A workspace's sequence of invoice numbers: consecutive, as tax law asks in many places. A place is reserved under the invoice's id, so a
 * retry gets the same one. The next invoice gets a place that a voided draft cannot use.
 */
@Injectable()
export class InvoiceNumbers {
  /** Invoices that want a place, by workspace. */
  private readonly wanted = new Map<string, Set<string>>();
  private readonly reserving = new CoalescedReads<Map<string, string>>();

  constructor(private readonly pool: Pool) {}

  /**
   * The invoice's place in the sequence, in digits: the one that it has, or the next. All who ask at once are served in
   * one transaction, for only one at a time can have a workspace's sequence.
   */
  async reserve(workspaceId: string, invoiceId: string, series: NumberSeries = 'invoice'): Promise<string> {
    // Workspaces' ids have no dot, so that no two sequences have the same key.
    const sequence = series === 'invoice' ? workspaceId : `${workspaceId}.${series}`;
    this.wanted.set(sequence, (this.wanted.get(sequence) ?? new Set()).add(invoiceId));
    const places = await this.reserving.read(sequence, () => this.reserveWanted(sequence));
    return places.get(invoiceId)!;
  }

  /** The invoice that has a place in the workspace's sequence; undefined if none has. */
  async holderOf(workspaceId: string, place: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ id: string | null }>(
      'SELECT invoice_id AS id FROM invoicing.numbers WHERE workspace_id = $1 AND number = $2',
      [workspaceId, place],
    );
    return rows[0]?.id ?? undefined;
  }

  /** Gives back the number of an invoice that can never be opened any more. */
  async release(workspaceId: string, invoiceId: string): Promise<void> {
    await this.pool.query(
      'UPDATE invoicing.numbers SET invoice_id = NULL WHERE workspace_id = $1 AND invoice_id = $2',
      [workspaceId, invoiceId],
    );
  }

  /** Places by invoice. */
  private async reserveWanted(workspaceId: string): Promise<Map<string, string>> {
    const wanted = [...(this.wanted.get(workspaceId) ?? [])];
    this.wanted.delete(workspaceId);
    const places = new Map<string, string>();
    await inTransaction(this.pool, async (tx) => {
      // Whoever holds the workspace's row has its sequence alone.
      await tx.query(prepared(HOLD, [workspaceId]));
      for (const statement of [KNOWN, GIVEN_BACK, NEXT]) {
        const without = wanted.filter((invoiceId) => !places.has(invoiceId));
        if (without.length === 0) break;
        const { rows } = await tx.query<{ id: string; number: string }>(
          prepared(statement, [workspaceId, without]),
        );
        for (const { id, number } of rows) places.set(id, number);
      }
    });
    return places;
  }
}

const HOLD = `
  INSERT INTO invoicing.sequences (workspace_id, last_number) VALUES ($1, 0)
  ON CONFLICT (workspace_id) DO UPDATE SET last_number = sequences.last_number`;

/** Each gives some of the invoices $2 of the workspace $1 their places: the ones that they have, … */
const KNOWN = `
  SELECT invoice_id AS id, number FROM invoicing.numbers WHERE workspace_id = $1 AND invoice_id = ANY($2)`;

/** … the lowest that were given back, … */
const GIVEN_BACK = `
  UPDATE invoicing.numbers n SET invoice_id = w.id
  FROM (
    SELECT number, row_number() OVER (ORDER BY number) AS place
    FROM invoicing.numbers WHERE workspace_id = $1 AND invoice_id IS NULL ORDER BY number LIMIT cardinality($2::text[])
  ) f JOIN unnest($2::text[]) WITH ORDINALITY AS w (id, place) USING (place)
  WHERE n.workspace_id = $1 AND n.number = f.number RETURNING w.id, n.number`;

/** … and the next. */
const NEXT = `
  WITH counted AS (
    UPDATE invoicing.sequences SET last_number = last_number + cardinality($2::text[])
    WHERE workspace_id = $1 RETURNING last_number - cardinality($2::text[]) AS last_number
  )
  INSERT INTO invoicing.numbers (workspace_id, number, invoice_id)
  SELECT $1, last_number + place, id FROM counted, unnest($2::text[]) WITH ORDINALITY AS w (id, place)
  RETURNING invoice_id AS id, number`;
