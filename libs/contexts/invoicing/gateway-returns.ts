import { Decimal, decimalString, sumOf } from '#libs/kernel/core';
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

/** The part of the money that went back at the payment processor and took the place of refunds of ours. */
export function coveredInTotal(invoice: InvoiceWithReturns): Decimal {
  const covers = returnsMade(invoice).flatMap(({ covers: ofReturn = [] }) => ofReturn);
  return sumOf(covers.map(({ amount }) => amount));
}

/** The part of the money that went back at the payment processor and was taken off the customer's balance, as it was there already. */
export function takenBackInTotal(invoice: InvoiceWithReturns): Decimal {
  return sumOf(returnsMade(invoice).map(({ takenBack = '0' }) => takenBack));
}

/** A return whose money was given back before, and has to be taken off the customer's balance. */
export interface ReturnToTakeBack {
  readonly returnId: string;
  readonly cause: 'refund' | 'dispute';
  /** The amount to take off the balance in total, as far as the balance holds it. */
  readonly amount: Decimal;
  /** The part that was taken off already. */
  readonly takenBack: Decimal;
}

/** The returns of which more was given back before than took the place of refunds of ours. */
export function returnsToTakeBack(invoice: InvoiceWithReturns): ReturnToTakeBack[] {
  const refunds = gatewayRefundsMade(invoice).map((one) => ({
    ...one,
    returnId: one.refundId,
    cause: 'refund' as const,
  }));
  const lost = disputesLost(invoice).map((one) => ({
    ...one,
    returnId: one.disputeId,
    cause: 'dispute' as const,
  }));
  return [...refunds, ...lost].flatMap(({ returnId, cause, excess = '0', covers = [], takenBack = '0' }) => {
    const amount = new Decimal(excess).minus(sumOf(covers.map((one) => one.amount)));
    return amount.gt(0) ? [{ returnId, cause, amount, takenBack: new Decimal(takenBack) }] : [];
  });
}

/** The money of refunds at the payment processor that did not fail. */
export function refundedAtGateway(invoice: InvoiceWithReturns): Decimal {
  return sumOf(gatewayRefundsMade(invoice).map(({ amount }) => amount));
}

/** The money of lost disputes. */
export function lostInDisputes(invoice: InvoiceWithReturns): Decimal {
  return sumOf(disputesLost(invoice).map(({ amount }) => amount));
}

/** The taxes in the refunds that did not fail and in the lost disputes. Each tax rate is listed once. */
export function taxesReturnedAtGateway(invoice: InvoiceWithReturns): TaxAmount[] {
  const all = returnsMade(invoice).flatMap(({ returned }) => returned?.taxes ?? []);
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

function disputesLost(invoice: InvoiceWithReturns) {
  return disputesNotWon(invoice).filter(({ closedAt }) => closedAt !== null);
}

/** The refunds that did not fail, and the lost disputes. */
function returnsMade(invoice: InvoiceWithReturns) {
  return [...gatewayRefundsMade(invoice), ...disputesLost(invoice)];
}
