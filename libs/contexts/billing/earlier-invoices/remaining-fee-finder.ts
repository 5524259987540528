import { Injectable } from '@nestjs/common';
import { Decimal, decimalString } from '#libs/kernel/core';
import { Invoices, linesCreditableBy, subscriptionPartOf, type Invoice } from '#libs/contexts/invoicing';
import {
  computeInvoice,
  prorate,
  ratesOfLine,
  type Charge,
  type EarlierFeeLine,
  type RemainingFee,
  type InvoiceLine,
  type MeasuredCharge,
  type Period,
  type ProrationBasis,
} from '#libs/rating';
import type { Bill } from '#libs/contexts/subscriptions';
import { carriedDiscounts, type CarriedDiscount } from './carried-discounts.js';
import type { SourceInvoice } from './source-lines.js';
import { DecidedBills } from '../decide/decided-bills.js';

/** A fee that is given back. */
type GivenBackFee = Charge & { readonly refund: EarlierFeeLine };

/**
 * Finds, for each fee that a bill gives back, the amount that can still be given back. This amount is the fee's remaining amount: see
 * `RemainingFee`.
 */
@Injectable()
export class RemainingFeeFinder {
  constructor(
    private readonly invoices: Invoices,
    private readonly bills: DecidedBills,
  ) {}

  /**
   * The remaining amount and the tax rates of each fee that a bill gives back. The result also has the unused coupon discounts that are
   * carried over to the bill's new fees. If the invoice that charged a fee does not exist yet, the fee is computed from the bill, by the
   * proration `basis`. `before` is only for a preview: it has the planned bills before this bill.
   */
  async findRemainingFees(
    workspaceId: string,
    bill: Bill,
    { basis, before }: { readonly basis: ProrationBasis; readonly before: readonly Bill[] },
  ): Promise<RemainingFeesOfBill> {
    const { charges, subscriptionId } = bill;
    const charging = async (invoiceId: string): Promise<FeeInvoice | undefined> => {
      const invoice = await this.invoices.find(workspaceId, invoiceId);
      if (invoice) return subscriptionPartOf(invoice, subscriptionId);
      const planned = before.find((bill) => bill.invoiceId === invoiceId);
      const decided = planned ?? (await this.bills.find(workspaceId, subscriptionId, invoiceId));
      return decided && plannedFeeInvoice(decided, basis);
    };
    const ids = new Set(charges.filter(isRefunded).map(({ refund }) => refund.invoiceId));
    const found = await Promise.all([...ids].map(async (id) => [id, await charging(id)] as const));
    const byId = new Map(found);
    const charged = ({ refund }: GivenBackFee) => byId.get(refund.invoiceId);
    return {
      remainingFeeOf: (charge) =>
        isRefunded(charge) ? remainingFeeWithTaxRates(charge, charged(charge), bill.invoiceId, basis) : {},
      carriedDiscounts: carriedFeeDiscounts(bill, charged, basis),
    };
  }
}

/** The remaining amounts of fees that are given back, and the discounts that are carried over from them: see {@link CarriedDiscount}. */
export interface RemainingFeesOfBill {
  readonly remainingFeeOf: (charge: Charge) => RemainingFeeWithTaxRates;
  readonly carriedDiscounts: readonly CarriedDiscount[];
}

/**
 * The unused parts of coupon discounts on fees that a bill gives back. These unused discounts are carried over to the new fees of the bill.
 * `charged` finds the invoice that charged a fee.
 */
export function carriedFeeDiscounts(
  bill: Bill,
  charged: (charge: GivenBackFee) => FeeInvoice | undefined,
  basis: ProrationBasis,
): CarriedDiscount[] {
  const refunded = bill.charges.filter(isRefunded).flatMap((charge) => {
    const invoice = charged(charge);
    const line = lineThatCharged(charge, invoice);
    return invoice && line
      ? [{ charge, invoice, line, remainingFee: findRemainingFee(charge, invoice, bill.invoiceId, basis) }]
      : [];
  });
  return carriedDiscounts(bill, refunded, basis);
}

/** An invoice that charged a fee, with its coupons. */
type FeeInvoice = SourceInvoice & Pick<Invoice, 'discounts'>;

/**
 * The remaining amount and the tax rates of a fee that is given back. `RemainingFeeWithTaxRates` is empty for a charge that gives no fee
 * back.
 */
export type RemainingFeeWithTaxRates = Pick<MeasuredCharge, 'remainingFee' | 'taxRates'>;

function remainingFeeWithTaxRates(
  charge: GivenBackFee,
  invoice: FeeInvoice | undefined,
  laterInvoiceId: string,
  basis: ProrationBasis,
): RemainingFeeWithTaxRates {
  const line = lineThatCharged(charge, invoice);
  const isTaxed = invoice && line && !invoice.isPlanned;
  return {
    remainingFee: findRemainingFee(charge, invoice, laterInvoiceId, basis),
    ...(isTaxed ? { taxRates: ratesOfLine(invoice.taxes ?? [], line) } : {}),
  };
}

/**
 * The remaining amount of the line that charged a fee. The invoice `laterInvoiceId` can give back this amount. The remaining amount is zero
 * if the invoice has no line for the fee.
 */
export function findRemainingFee(
  charge: GivenBackFee,
  invoice: FeeInvoice | undefined,
  laterInvoiceId: string,
  basis: ProrationBasis,
): RemainingFee {
  const line = lineThatCharged(charge, invoice);
  if (!invoice || !line) return NO_REMAINING_FEE;
  const about = linesCreditableBy(laterInvoiceId, invoice).find(({ lineId }) => lineId === line.id)!;
  if (line.discount === undefined) return about;
  // The coupon discounted only the charged part of the period. So the discount of a whole period is computed in proportion.
  const { period, refund } = charge;
  const whole = prorate(new Decimal(line.discount), period, refund.service, basis);
  return { ...about, discount: decimalString(whole) };
}

function lineThatCharged(charge: GivenBackFee, invoice: FeeInvoice | undefined): InvoiceLine | undefined {
  return invoice?.lines.find((one) => isLineOf(one, charge, charge.refund.service));
}

/** Restores, from the lines of an invoice, the {@link RemainingFeeWithTaxRates} with which the invoice was computed. */
export function restoreRemainingFee(
  { lines, taxes = [] }: Pick<SourceInvoice, 'lines' | 'taxes'>,
  charge: Charge,
): RemainingFeeWithTaxRates {
  if (!isRefunded(charge)) return {};
  const { refund, service } = charge;
  const line = lines.find(
    ({ unused, ...one }) =>
      unused !== undefined &&
      unused.invoiceId === refund.invoiceId &&
      isLineOf(one, charge, service, 'credit'),
  );
  if (!line?.unused) return { remainingFee: NO_REMAINING_FEE };
  const { invoiceId: _, ...remaining } = line.unused;
  return { remainingFee: remaining, taxRates: ratesOfLine(taxes, line) };
}

const NO_REMAINING_FEE: RemainingFee = { lineId: '', net: '0', left: '0' };

function isRefunded(charge: Charge): charge is GivenBackFee {
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

/** The planned invoice of a bill whose invoice does not exist yet. A planned invoice contains only fees, before coupons and taxes. */
export function plannedFeeInvoice({ invoiceId, currency, charges }: Bill, basis: ProrationBasis): FeeInvoice {
  const fees = charges.filter(({ price, refund }) => price.metricId === null && !refund);
  const { lines, total } = computeInvoice({ invoiceId, currency, charges: fees, basis });
  return { invoiceId, lines, total, currency, status: 'draft', creditNotes: [], isPlanned: true };
}
