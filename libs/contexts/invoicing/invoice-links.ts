import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { randomToken } from '#libs/kernel/system';

/** 192 bits from the system's CSPRNG: a token opens an invoice to whoever has it, so it cannot be guessed. */
const TOKEN_BYTES = 24;
const TOKEN = /^[A-Za-z0-9_-]{32}$/;

/**
 * The tokens of hosted invoice pages. They are kept as they are, not as hashes, because an invoice's link is the same
 * each time that it is asked for.
 */
@Injectable()
export class InvoiceLinks {
  constructor(private readonly pool: Pool) {}

  /** The invoice's token, made if it has none. Does not ask whether there is such an invoice. */
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

  /** What the token opens; undefined if it opens nothing. */
  async find(token: string): Promise<{ workspaceId: string; invoiceId: string } | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const { rows } = await this.pool.query<{ workspaceId: string; invoiceId: string }>(
      'SELECT workspace_id AS "workspaceId", invoice_id AS "invoiceId" FROM invoicing.links WHERE token = $1',
      [token],
    );
    return rows[0];
  }
}
