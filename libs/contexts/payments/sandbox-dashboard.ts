import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import {
  Conflict,
  Decimal,
  InvalidRequest,
  minorUnitDigits,
  NotFound,
  type DecimalString,
} from '#libs/kernel/core';
import { inTransaction, type Queryable } from '#libs/kernel/postgres';
import { amountLeftOfCharge } from './sandbox-gateway.js';
import type { GatewayDispute, GatewayNotice } from './stripe/stripe-event-reader.js';

/** The request for a refund or a dispute of a simulated charge. */
export interface SandboxReturn {
  /** The id of the refund or dispute. A repeated request has the same id, and changes nothing. */
  readonly id: string;
  readonly workspaceId: string;
  readonly invoiceId: string;
  /** Undefined: all that is left of the charge. */
  readonly amount: DecimalString | undefined;
}

type NoticeOf<T extends GatewayNotice['type']> = Extract<GatewayNotice, { type: T }>;

/** How the bank decides a dispute. */
export const DISPUTE_DECISIONS = ['won', 'lost'] as const;
export type DisputeDecision = (typeof DISPUTE_DECISIONS)[number];

interface ReturnRow {
  charge_key: string;
  invoice_id: string;
  amount: string;
}

interface DisputeRow extends ReturnRow {
  key: string;
  reason: string;
  status: GatewayDispute['status'];
}

const DISPUTE_COLUMNS = 'd.key, d.charge_key, c.invoice_id, d.amount, d.reason, d.status';

/**
 * What happens at the simulated payment processor of a sandbox without a request of this program: a refund in the processor's dashboard, and
 * a dispute by the customer's bank. Each method returns the notice that the processor sends of it.
 */
@Injectable()
export class SandboxDashboard {
  constructor(private readonly pool: Pool) {}

  /**
   * Refunds the newest charge of an invoice that has something left. Throws InvalidRequest if the charge has less than `amount` left, and
   * Conflict (`no_payment_left`) if no charge has anything left.
   */
  async refund(request: SandboxReturn): Promise<NoticeOf<'refunds'>> {
    const { id } = request;
    return inTransaction(this.pool, async (tx) => {
      const insert = async (chargeKey: string, amount: DecimalString) => {
        await tx.query(
          'INSERT INTO payments.sandbox_refunds (key, charge_key, amount) VALUES ($1, $2, $3) ON CONFLICT (key) DO NOTHING',
          [id, chargeKey, amount],
        );
      };
      const select = `SELECT r.charge_key, c.invoice_id, r.amount FROM payments.sandbox_refunds r
        JOIN payments.sandbox_charges c ON c.key = r.charge_key WHERE r.key = $1 AND c.workspace_id = $2`;
      const row = await takeFromCharge<ReturnRow>(tx, request, { insert, select });
      return {
        type: 'refunds',
        chargeKey: row.charge_key,
        invoiceId: row.invoice_id,
        refunds: [{ refundId: id, amount: row.amount }],
      };
    });
  }

  /** Disputes the newest charge of an invoice that has something left. Throws as {@link refund} does. */
  async dispute(request: SandboxReturn, reason: string): Promise<NoticeOf<'dispute'>> {
    const { id } = request;
    return inTransaction(this.pool, async (tx) => {
      const insert = async (chargeKey: string, amount: DecimalString) => {
        await tx.query(
          `INSERT INTO payments.sandbox_disputes (key, charge_key, amount, reason, status)
           VALUES ($1, $2, $3, $4, 'needs_response') ON CONFLICT (key) DO NOTHING`,
          [id, chargeKey, amount, reason],
        );
      };
      const select = `SELECT ${DISPUTE_COLUMNS} FROM payments.sandbox_disputes d
        JOIN payments.sandbox_charges c ON c.key = d.charge_key WHERE d.key = $1 AND c.workspace_id = $2`;
      return disputeNotice(await takeFromCharge<DisputeRow>(tx, request, { insert, select }));
    });
  }

  /**
   * Decides a dispute. The same decision again changes nothing. Throws NotFound if the workspace has no such dispute, and Conflict
   * (`dispute_closed`) if it was decided otherwise.
   */
  async closeDispute(
    workspaceId: string,
    disputeId: string,
    decision: DisputeDecision,
  ): Promise<NoticeOf<'dispute'>> {
    const { rows } = await this.pool.query<DisputeRow>(
      `UPDATE payments.sandbox_disputes d SET status = CASE d.status WHEN 'needs_response' THEN $3 ELSE d.status END
       FROM payments.sandbox_charges c
       WHERE d.key = $1 AND c.key = d.charge_key AND c.workspace_id = $2 RETURNING ${DISPUTE_COLUMNS}`,
      [disputeId, workspaceId, decision],
    );
    const row = rows[0];
    if (!row) throw NotFound.of('dispute', disputeId);
    if (row.status !== decision)
      throw new Conflict(
        'dispute_closed',
        `The dispute ${disputeId} is closed already: it was ${row.status}`,
      );
    return disputeNotice(row);
  }
}

/** Takes an amount from a charge, unless the request was made before. Returns the row of the refund or dispute. */
async function takeFromCharge<R extends ReturnRow>(
  tx: Queryable,
  { id, workspaceId, invoiceId, amount }: SandboxReturn,
  table: { insert: (chargeKey: string, amount: DecimalString) => Promise<void>; select: string },
): Promise<R> {
  const charges = await lockCharges(tx, workspaceId, invoiceId);
  // An identical request at the same time holds the locks until its row is there.
  const find = async () => (await tx.query<R>(table.select, [id, workspaceId])).rows[0];
  const earlier = await find();
  if (earlier) return earlier;
  const { chargeKey, left, currency } = await newestWithRest(tx, charges);
  const taken = new Decimal(amount ?? left);
  const digits = minorUnitDigits(currency);
  if (taken.decimalPlaces() > digits)
    throw InvalidRequest.field('amount', `must have at most ${digits} decimals, as ${currency} has`);
  if (taken.gt(left))
    throw InvalidRequest.field(
      'amount',
      `must be at most ${left.toFixed()} ${currency}, which is left of the charge`,
    );
  await table.insert(chargeKey, taken.toFixed());
  return (await find())!;
}

interface ChargeRow {
  key: string;
  currency: string;
}

/** Locks the successful charges of an invoice, and returns them, the newest first. */
async function lockCharges(tx: Queryable, workspaceId: string, invoiceId: string): Promise<ChargeRow[]> {
  const { rows } = await tx.query<ChargeRow>(
    `SELECT key, currency FROM payments.sandbox_charges
     WHERE workspace_id = $1 AND invoice_id = $2 AND status = 'succeeded' ORDER BY created_at DESC, key DESC FOR UPDATE`,
    [workspaceId, invoiceId],
  );
  return rows;
}

async function newestWithRest(
  tx: Queryable,
  charges: readonly ChargeRow[],
): Promise<{ chargeKey: string; left: Decimal; currency: string }> {
  for (const { key, currency } of charges) {
    const left = await amountLeftOfCharge(tx, key);
    if (left.gt(0)) return { chargeKey: key, left, currency };
  }
  throw new Conflict(
    'no_payment_left',
    'The invoice has no card payment that is not refunded or disputed in full; name another invoice',
  );
}

function disputeNotice({ key, charge_key, invoice_id, ...row }: DisputeRow): NoticeOf<'dispute'> {
  const { amount, reason, status } = row;
  return {
    type: 'dispute',
    chargeKey: charge_key,
    invoiceId: invoice_id,
    dispute: { disputeId: key, amount, reason, status },
  };
}
