import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { randomToken } from '#libs/kernel/system';

/** 192 bits from a secure random source. A token gives access to an invoice, so it must not be guessable. */
const TOKEN_BYTES = 24;
const TOKEN = /^[A-Za-z0-9_-]{32}$/;

/**
 * Stores the tokens of hosted invoice pages. The tokens are stored in plain text, not as hashes, because every request for an invoice's
 * link must return the same link.
 */
@Injectable()
export class InvoiceLinks {
  constructor(private readonly pool: Pool) {}

  /** Returns the invoice's token. Creates it if there is none. Does not check that the invoice exists. */
  async tokenOf(workspaceId: string, invoiceId: string): Promise<string> {
    await this.pool.query(
      'INSERT INTO invoicing.links (token, workspace_id, invoice_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [randomToken(TOKEN_BYTES), workspaceId, invoiceId],
    );
    const { rows } = await this.pool.query<{ token: string }>(
      'SELECT token FROM invoicing.links WHERE workspace_id = $1 AND invoice_id = $2',
      [workspaceId, invoiceId],
    );
    return rows[0]!.token;
  }

  /** Finds the invoice of a token. Undefined if the token does not exist. */
  async find(token: string): Promise<{ workspaceId: string; invoiceId: string } | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const { rows } = await this.pool.query<{ workspaceId: string; invoiceId: string }>(
      'SELECT workspace_id AS "workspaceId", invoice_id AS "invoiceId" FROM invoicing.links WHERE token = $1',
      [token],
    );
    return rows[0];
  }
}
