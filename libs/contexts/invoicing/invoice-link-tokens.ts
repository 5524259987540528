import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { randomToken } from '#libs/kernel/system';

/** The length of a token: 192 bits from a secure random source. A token gives access to an invoice, so nobody must be able to guess it. */
const TOKEN_BYTES = 24;
const TOKEN = /^[A-Za-z0-9_-]{32}$/;

/**
 * Stores the tokens of hosted invoice pages. The tokens are stored in plain text, not as hashes, because every request for an invoice's
 * link must return the same link.
 */
@Injectable()
export class InvoiceLinkTokens {
  constructor(private readonly pool: Pool) {}

  /** Returns the invoice's token. Creates the token if the invoice has none. Does not check that the invoice exists. */
  async getOrCreateToken(workspaceId: string, invoiceId: string): Promise<string> {
    return (await this.getOrCreateTokens(workspaceId, [invoiceId])).get(invoiceId)!;
  }

  /** Returns the tokens of invoices, by invoice id. Creates the token of each invoice that has none. */
  async getOrCreateTokens(workspaceId: string, invoiceIds: readonly string[]): Promise<Map<string, string>> {
    const known = await this.knownTokens(workspaceId, invoiceIds);
    // Sort the ids. If two calls create tokens for the same invoices in the same order, they cannot block each other.
    const missing = invoiceIds.filter((id) => !known.has(id)).sort();
    if (missing.length === 0) return known;
    await this.pool.query(
      `INSERT INTO invoicing.links (token, workspace_id, invoice_id)
       SELECT token, $2, id FROM unnest($1::text[], $3::text[]) AS new (token, id)
       ON CONFLICT DO NOTHING`,
      [missing.map(() => randomToken(TOKEN_BYTES)), workspaceId, missing],
    );
    return this.knownTokens(workspaceId, invoiceIds);
  }

  /** Finds the invoice of a token. Returns undefined if the token does not exist. */
  async findInvoice(token: string): Promise<{ workspaceId: string; invoiceId: string } | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const { rows } = await this.pool.query<{ workspaceId: string; invoiceId: string }>(
      'SELECT workspace_id AS "workspaceId", invoice_id AS "invoiceId" FROM invoicing.links WHERE token = $1',
      [token],
    );
    return rows[0];
  }

  private async knownTokens(
    workspaceId: string,
    invoiceIds: readonly string[],
  ): Promise<Map<string, string>> {
    const { rows } = await this.pool.query<{ id: string; token: string }>(
      'SELECT invoice_id AS id, token FROM invoicing.links WHERE workspace_id = $1 AND invoice_id = ANY($2)',
      [workspaceId, invoiceIds],
    );
    return new Map(rows.map(({ id, token }) => [id, token]));
  }
}
