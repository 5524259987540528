import { decimalString, sumOf, type Decimal } from '#libs/kernel/core';
import type { TaxAmount } from '#libs/rating';
import type { ReturnedAmounts } from './give-backs/give-back.js';
import type { Invoice } from './invoice.js';

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

/** The taxes in the refunds that did not fail and in the lost disputes. Each tax rate is listed once. */
export function taxesReturnedAtGateway(invoice: InvoiceWithReturns): TaxAmount[] {
  const lost = disputesNotWon(invoice).filter(({ closedAt }) => closedAt !== null);
  const all = [...gatewayRefundsMade(invoice), ...lost].flatMap(({ returned }) => returned?.taxes ?? []);
  return [...Map.groupBy(all, ({ taxRateId }) => taxRateId)].map(([taxRateId, ofRate]) => ({
    taxRateId,
    amount: decimalString(sumOf(ofRate.map(({ amount }) => amount))),
  }));
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
