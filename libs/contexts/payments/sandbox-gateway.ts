import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Decimal } from '#libs/kernel/core';
import { inTransaction, type Queryable } from '#libs/kernel/postgres';
import { refusalOfAmount } from './charge-limits.js';
import type {
  ChargeableTestMethod,
  ChargeOutcome,
  ChargeRequest,
  ForeignRefund,
  PaymentGateway,
  RefundRequest,
} from './payment-gateway.js';
import { refundRefusedError } from './refund-refusal.js';
import { outcomeOfTestCharge } from './test-payment-methods.js';

interface ChargeRow {
  amount: string;
  currency: string;
  status: ChargeOutcome['status'];
  code: string | null;
  message: string | null;
}

const CHARGE_COLUMNS = 'amount, currency, status, code, message';

/**
 * The simulated gateway of sandbox workspaces, which contacts no payment processor. The simulated gateway stores its charges itself, as a
 * payment processor does. The result of a simulated charge can therefore be read after a crash of this process. It refuses the amounts
 * that Stripe refuses.
 */
@Injectable()
export class SandboxGateway implements PaymentGateway {
  constructor(private readonly pool: Pool) {}

  async charge(request: ChargeRequest): Promise<ChargeOutcome> {
    const { method } = request;
    if (method.type !== 'test')
      throw new Error(`Charge ${request.key} is for a card, which the sandbox gateway cannot charge`);
    const outcome = outcomeOfSandboxCharge(request, method);
    const { code = null, message = null } = { ...outcome } as { code?: string; message?: string };
    // A second charge with this key waits until the row of the first charge is committed, and then reads that row.
    const inserted = await this.pool.query<ChargeRow>(
      `INSERT INTO payments.sandbox_charges (key, workspace_id, invoice_id, amount, currency, test, status, code, message)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (key) DO NOTHING RETURNING ${CHARGE_COLUMNS}`,
      [
        request.key,
        request.workspaceId,
        request.invoiceId,
        request.amount,
        request.currency,
        method.test,
        outcome.status,
        code,
        message,
      ],
    );
    const row = inserted.rows[0] ?? (await this.find(request.key));
    if (row.currency !== request.currency || !new Decimal(row.amount).eq(request.amount))
      throw new Error(
        `Charge ${request.key} was made for ${row.amount} ${row.currency}, not for ${request.amount} ${request.currency}`,
      );
    return outcomeOf(row);
  }

  /** Returns null, because the customer confirms a simulated charge on the invoice's page and needs no page of a payment processor. */
  beginConfirmation(): Promise<null> {
    return Promise.resolve(null);
  }

  async completeConfirmation(key: string): Promise<ChargeOutcome> {
    const { rows } = await this.pool.query<ChargeRow>(
      `UPDATE payments.sandbox_charges SET status = 'succeeded', message = NULL
       WHERE key = $1 AND status = 'requires_action' RETURNING ${CHARGE_COLUMNS}`,
      [key],
    );
    return outcomeOf(rows[0] ?? (await this.find(key)));
  }

  async cancelWaitingCharge(key: string): Promise<void> {
    await this.pool.query(
      `UPDATE payments.sandbox_charges SET status = 'failed', code = 'canceled', message = 'The payment was canceled.'
       WHERE key = $1 AND status = 'requires_action'`,
      [key],
    );
  }

  async readOutcome(key: string): Promise<ChargeOutcome> {
    return outcomeOf(await this.find(key));
  }

  /** Always rejects, because a simulated charge never succeeds for an invoice that does not need it. */
  refundUnwantedCharge(key: string): Promise<void> {
    return Promise.reject(
      new Error(`The simulated charge ${key} cannot succeed unless its invoice needs it`),
    );
  }

  isUnwantedCharge(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /**
   * What the dashboard and the requests of this program refund, and what is disputed, cannot exceed the amount of the charge. Throws
   * Conflict (`refund_refused`) if less is left. Refunds of a charge run one after the other, because each refund locks the row of the charge.
   */
  async refund({ key, chargeKey, workspaceId, amount, currency }: RefundRequest): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      const charged = await tx.query(
        `SELECT FROM payments.sandbox_charges
         WHERE key = $1 AND workspace_id = $2 AND currency = $3 AND status = 'succeeded' FOR UPDATE`,
        [chargeKey, workspaceId, currency],
      );
      if (charged.rowCount === 0)
        throw new Error(`The sandbox gateway knows no charge ${chargeKey} that can be refunded`);
      const before = await tx.query('SELECT FROM payments.sandbox_refunds WHERE key = $1', [key]);
      if (before.rowCount === 1) return;
      const left = await amountLeftOfCharge(tx, chargeKey);
      if (left.lt(amount))
        throw refundRefusedError(
          `The charge has ${left.toFixed()} ${currency} left that is not refunded or disputed, and ${amount} ${currency} is asked for`,
        );
      await tx.query('INSERT INTO payments.sandbox_refunds (key, charge_key, amount) VALUES ($1, $2, $3)', [
        key,
        chargeKey,
        amount,
      ]);
    });
  }

  /** The refunds in the dashboard of the simulated processor. Their ids begin with `re_`, and the keys of other refunds do not. */
  async refundsMadeElsewhere(chargeKey: string): Promise<readonly ForeignRefund[]> {
    const { rows } = await this.pool.query<{ key: string; amount: string }>(
      String.raw`SELECT key, amount FROM payments.sandbox_refunds
        WHERE charge_key = $1 AND key LIKE 're\_%' ORDER BY created_at, key`,
      [chargeKey],
    );
    return rows.map(({ key: refundId, amount }) => ({ refundId, amount }));
  }

  private async find(key: string): Promise<ChargeRow> {
    const { rows } = await this.pool.query<ChargeRow>(
      `SELECT ${CHARGE_COLUMNS} FROM payments.sandbox_charges WHERE key = $1`,
      [key],
    );
    if (!rows[0]) throw new Error(`The sandbox gateway knows no charge ${key}`);
    return rows[0];
  }
}

/**
 * The amount of a charge that is neither refunded nor disputed. A dispute that the seller has won does not count. This must be a separate
 * statement after the lock of the charge. A statement that waits for a row lock does not see other rows that were added during the wait.
 */
export async function amountLeftOfCharge(tx: Queryable, chargeKey: string): Promise<Decimal> {
  const { rows } = await tx.query<{ left: string }>(
    `SELECT c.amount
       - coalesce((SELECT sum(r.amount) FROM payments.sandbox_refunds r WHERE r.charge_key = c.key), 0)
       - coalesce((SELECT sum(d.amount) FROM payments.sandbox_disputes d WHERE d.charge_key = c.key AND d.status <> 'won'), 0)
       AS left
     FROM payments.sandbox_charges c WHERE c.key = $1`,
    [chargeKey],
  );
  return new Decimal(rows[0]!.left);
}

/** Refuses an amount that Stripe could not charge, whatever the card is. Otherwise the test card decides. */
function outcomeOfSandboxCharge(
  { amount, currency, attempt }: ChargeRequest,
  method: ChargeableTestMethod,
): ChargeOutcome {
  const refusal = refusalOfAmount(amount, currency);
  if (refusal) return { status: 'failed', code: refusal.code, message: refusal.message };
  return outcomeOfTestCharge(method, attempt);
}

function outcomeOf({ status, code, message }: ChargeRow): ChargeOutcome {
  switch (status) {
    case 'succeeded':
      return { status };
    case 'failed':
      return { status, code: code!, message: message! };
    case 'requires_action':
      return { status, message: message! };
  }
}
