import { sumOf, type Decimal } from '#libs/kernel/core';
import type { LineNetAmount, TaxAmount } from '#libs/rating';
import type { Invoice } from './invoice.js';

/**
 * The part of an invoice's lines that went back at the payment processor, by a refund or a dispute. An amount that went back is divided
 * over the lines as a credit note over one amount is.
 */
export interface ReturnedAmounts {
  /** The net amount of each line: after coupons and before added taxes. Empty if nothing was left of any line. */
  readonly lines: readonly LineNetAmount[];
  /** The amount of each tax. Absent if no tax went back. */
  readonly taxes?: readonly TaxAmount[];
}

/** The fields of an invoice that tell what went back at the payment processor. */
export type InvoiceWithReturns = Partial<Pick<Invoice, 'gatewayRefunds' | 'disputes'>>;

/**
 * The parts of an invoice's lines that cannot be given back by anything else. These are the refunds at the payment processor that did not
 * fail, the lost disputes, and the disputes that the bank has not decided.
 */
export function amountsReturnedAtGateway(invoice: InvoiceWithReturns): ReturnedAmounts[] {
  return [...gatewayRefundsMade(invoice), ...disputesNotWon(invoice)].flatMap(
    ({ returned }) => returned ?? [],
  );
}

/** The money that went back at the payment processor: refunds that did not fail, and lost disputes. */
export function moneyReturnedAtGateway(invoice: InvoiceWithReturns): Decimal {
  return refundedAtGateway(invoice).plus(lostInDisputes(invoice));
}

/** The money of refunds at the payment processor that did not fail. */
export function refundedAtGateway(invoice: InvoiceWithReturns): Decimal {
  return sumOf(gatewayRefundsMade(invoice).map(({ amount }) => amount));
}

/** The money of lost disputes. */
export function lostInDisputes(invoice: InvoiceWithReturns): Decimal {
  const lost = disputesNotWon(invoice).filter(({ closedAt }) => closedAt !== null);
  return sumOf(lost.map(({ amount }) => amount));
}

/** The money of disputes that the bank has not decided. */
export function disputedMoney(invoice: InvoiceWithReturns): Decimal {
  const open = disputesNotWon(invoice).filter(({ closedAt }) => closedAt === null);
  return sumOf(open.map(({ amount }) => amount));
}

function gatewayRefundsMade({ gatewayRefunds = [] }: InvoiceWithReturns) {
  return gatewayRefunds.filter(({ failure }) => failure === undefined);
}

function disputesNotWon({ disputes = [] }: InvoiceWithReturns) {
  return disputes.filter(({ closedAt, status }) => closedAt === null || status === 'lost');
}
