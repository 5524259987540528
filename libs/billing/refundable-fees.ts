import { Injectable } from '@nestjs/common';
import { Decimal, decimalString, moneyString, roundToCurrency } from '#libs/core';
import { CurrentSettings, Invoices, partOf, prorationBasisOf, type Invoice } from '#libs/invoicing';
import { computeInvoice, lengthOf, type InvoiceLine, type ProrationBasis } from '#libs/rating';
import type { Bill, PrepaidFee, RefundableFee, Subscription } from '#libs/subscriptions';
import { uncreditedShare } from './line-left.js';

/** Looks up what of the fees that were paid in advance was billed, so that no more is given back. */
@Injectable()
export class RefundableFees {
  constructor(
    private readonly invoices: Invoices,
    private readonly settings: CurrentSettings,
  ) {}

  /** What can be given back of each prepaid fee of the subscription; see {@link refundableFees}. */
  async of(accountId: string, subscription: Subscription): Promise<RefundableFee[]> {
    const ids = new Set(subscription.prepaid.map(({ invoiceId }) => invoiceId));
    if (ids.size === 0) return [];
    const [basis, ...invoices] = await Promise.all([
      this.basisOf(accountId, subscription),
      ...[...ids].map((id) => this.invoices.find(accountId, id)),
    ]);
    return refundableFees(
      subscription,
      invoices.filter((invoice) => invoice !== undefined),
      basis,
    );
  }

  /** What shares of the subscription's periods are counted in on invoices that are made now. */
  async basisOf(accountId: string, subscription: Subscription): Promise<ProrationBasis> {
    return prorationBasisOf(await this.settings.of(accountId), subscription);
  }
}

/**
 * What can be given back of each prepaid fee of the subscription: what its line on its invoice comes to, less what credit
 * notes have given back of it, and nothing if the invoice is void. An invoice that is still in the making is taken as its bill says.
 * `invoices`: those of the fees that have been made, and maybe others.
 */
export function refundableFees(
  { subscriptionId, prepaid, lastBill }: Subscription,
  invoices: readonly Invoice[],
  basis: ProrationBasis,
): RefundableFee[] {
  return prepaid.map((fee) => {
    const whole = invoices.find(({ invoiceId }) => invoiceId === fee.invoiceId);
    const invoice = whole && partOf(whole, subscriptionId);
    if (invoice?.status === 'void') return { fee, atMost: '0' };
    if (invoice) return lessCredited(invoice, fee);
    return refundable(fee, lastBill?.invoiceId === fee.invoiceId ? feeLines(lastBill, basis) : []);
  });
}

/** What can be given back of fees of bills that will be made, if all goes as it would now. */
export function refundableOf(
  prepaid: readonly PrepaidFee[],
  bills: readonly Bill[],
  basis: ProrationBasis,
): RefundableFee[] {
  return prepaid.flatMap((fee) => {
    const bill = bills.find(({ invoiceId }) => invoiceId === fee.invoiceId);
    return bill ? [refundable(fee, feeLines(bill, basis))] : [];
  });
}

function feeLines({ invoiceId, currency, charges }: Bill, basis: ProrationBasis): readonly InvoiceLine[] {
  const fees = charges.filter(({ price }) => price.metricId === null);
  return computeInvoice({ invoiceId, currency, charges: fees, basis }).lines;
}

/** Without what credit notes have given back of the fee's line. */
function lessCredited(invoice: Invoice, fee: PrepaidFee): RefundableFee {
  const { lines, currency, creditNotes } = invoice;
  const refund = refundable(fee, lines);
  const line = lineOf(fee, lines);
  if (!line || creditNotes.length === 0) return refund;
  const left = uncreditedShare(invoice, line);
  return { ...refund, atMost: moneyString(roundToCurrency(left.times(refund.atMost), currency), currency) };
}

function refundable(fee: PrepaidFee, lines: readonly InvoiceLine[]): RefundableFee {
  const { service, period } = fee;
  const line = lineOf(fee, lines);
  if (!line) return { fee, atMost: '0' };
  if (line.discount === undefined) return { fee, atMost: line.amount };
  const atMost = new Decimal(line.amount).minus(line.discount).toFixed();
  // A coupon took its share off what was served; the share of a whole period is in proportion.
  const discount = new Decimal(line.discount).times(lengthOf(period)).dividedBy(lengthOf(service));
  return { fee, atMost, discount: decimalString(discount) };
}

function lineOf(
  { price, quantity, service }: PrepaidFee,
  lines: readonly InvoiceLine[],
): InvoiceLine | undefined {
  return lines.find(
    (one) =>
      one.type === 'flat' &&
      one.priceId === price.priceId &&
      one.priceVersion === price.version &&
      one.quantity === quantity &&
      one.periodStart === service.start &&
      one.periodEnd === service.end,
  );
}
