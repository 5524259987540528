import { Injectable } from '@nestjs/common';
import { Decimal, decimalString } from '#libs/core';
import { Invoices, linesLeft, partOf, type GivingInvoice, type Invoice } from '#libs/invoicing';
import {
  computeInvoice,
  lengthOf,
  type Charge,
  type FeeLeft,
  type InvoiceLine,
  type Period,
  type ProrationBasis,
  type Refund,
} from '#libs/rating';
import type { Bill } from '#libs/subscriptions';
import { carriedDiscounts, type CarriedDiscount } from './carried-discounts.js';
import { DecidedBills } from './decided-bills.js';

/** A fee that is given back. */
type RefundedFee = Charge & { readonly refund: Refund };

/** Looks up what is left of the lines that charged fees which a bill gives back. */
@Injectable()
export class FeesLeft {
  constructor(
    private readonly invoices: Invoices,
    private readonly bills: DecidedBills,
  ) {}

  /**
   * What is left by now of each fee that a bill gives back, by its charge, and what its coupons' unused parts discount instead. An invoice
   * that is still in the making is taken as its bill says, by `basis`. `before`: bills that would be made by then, of what is only
   * previewed.
   */
  async of(
    accountId: string,
    bill: Bill,
    { basis, before }: { readonly basis: ProrationBasis; readonly before: readonly Bill[] },
  ): Promise<FoundFees> {
    const { charges, subscriptionId } = bill;
    const charging = async (invoiceId: string): Promise<ChargingInvoice | undefined> => {
      const invoice = await this.invoices.find(accountId, invoiceId);
      if (invoice) return partOf(invoice, subscriptionId);
      const planned = before.find((bill) => bill.invoiceId === invoiceId);
      const decided = planned ?? (await this.bills.find(accountId, subscriptionId, invoiceId));
      return decided && asBilled(decided, basis);
    };
    const ids = new Set(charges.filter(isRefunded).map(({ refund }) => refund.invoiceId));
    const found = await Promise.all([...ids].map(async (id) => [id, await charging(id)] as const));
    const byId = new Map(found);
    const charged = ({ refund }: RefundedFee) => byId.get(refund.invoiceId);
    return {
      left: (charge) => (isRefunded(charge) ? feeLeft(charge, charged(charge), bill.invoiceId) : undefined),
      carried: carriedFees(bill, charged, basis),
    };
  }
}

/** What is left of fees, and what goes over of their coupons. */
export interface FoundFees {
  readonly left: (charge: Charge) => FeeLeft | undefined;
  readonly carried: readonly CarriedDiscount[];
}

/** What goes over of the coupons of the fees that a bill gives back; `charged` finds the invoice that charged one. */
export function carriedFees(
  bill: Bill,
  charged: (charge: RefundedFee) => ChargingInvoice | undefined,
  basis: ProrationBasis,
): CarriedDiscount[] {
  const refunded = bill.charges.filter(isRefunded).flatMap((charge) => {
    const invoice = charged(charge);
    const line = invoice?.lines.find((one) => isLineOf(one, charge, charge.refund.service));
    return invoice && line ? [{ charge, invoice, line, left: feeLeft(charge, invoice, bill.invoiceId) }] : [];
  });
  return carriedDiscounts(bill, refunded, basis);
}

/** An invoice, or what it will be. */
export type ChargingInvoice = GivingInvoice & Pick<Invoice, 'invoiceId' | 'discounts'>;

/**
 * What is left of the line that charged a fee; nothing, if the invoice has none. What the invoice `byInvoiceId` gives back of it is recorded
 * before that is made: it then stays so.
 */
export function feeLeft(
  charge: RefundedFee,
  invoice: ChargingInvoice | undefined,
  byInvoiceId: string,
): FeeLeft {
  const line = invoice?.lines.find((one) => isLineOf(one, charge, charge.refund.service));
  if (!invoice || !line) return NOTHING;
  const { net, left } = linesLeft(invoice).find(({ lineId }) => lineId === line.id)!;
  const recorded = invoice.givenBack?.find((one) => one.byInvoiceId === byInvoiceId);
  const own = recorded?.lines.find(({ lineId }) => lineId === line.id)?.amount ?? '0';
  const about = { lineId: line.id, net, left: recorded ? own : left };
  if (line.discount === undefined) return about;
  // A coupon took its share off what was charged; the share of a whole period is in proportion.
  const { period, refund } = charge;
  const whole = new Decimal(line.discount).times(lengthOf(period)).dividedBy(lengthOf(refund.service));
  return { ...about, discount: decimalString(whole) };
}

/** The same as an invoice says that it went by. */
export function feeLeftOn(lines: readonly InvoiceLine[], charge: Charge): FeeLeft | undefined {
  if (!isRefunded(charge)) return undefined;
  const { refund, service } = charge;
  const line = lines.find(
    ({ unused, ...one }) =>
      unused !== undefined &&
      unused.invoiceId === refund.invoiceId &&
      isLineOf(one, charge, service, 'credit'),
  );
  if (!line?.unused) return NOTHING;
  const { invoiceId: _, ...left } = line.unused;
  return left;
}

const NOTHING: FeeLeft = { lineId: '', net: '0', left: '0' };

function isRefunded(charge: Charge): charge is RefundedFee {
  return charge.refund !== undefined;
}

function isLineOf(
  line: InvoiceLine,
  { price, quantity = '1' }: Charge,
  { start, end }: Period,
  type: InvoiceLine['type'] = 'flat',
): boolean {
  return (
    line.type === type &&
    line.priceId === price.priceId &&
    line.priceVersion === price.version &&
    line.quantity === quantity &&
    line.periodStart === start &&
    line.periodEnd === end
  );
}

/** The fees of a bill as its invoice will charge them, before coupons. */
export function asBilled({ invoiceId, currency, charges }: Bill, basis: ProrationBasis): ChargingInvoice {
  const fees = charges.filter(({ price, refund }) => price.metricId === null && !refund);
  const { lines, total } = computeInvoice({ invoiceId, currency, charges: fees, basis });
  return { invoiceId, lines, total, currency, status: 'draft', creditNotes: [] };
}
