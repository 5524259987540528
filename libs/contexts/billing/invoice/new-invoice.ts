import { Decimal, pick } from '#libs/kernel/core';
import type { ChargeInputs, InvoiceDiscount, NewInvoice } from '#libs/contexts/invoicing';
import type { Bill } from '#libs/contexts/subscriptions';
import type { InvoicePricingTerms } from '../price/billing-terms-finder.js';
import type { PricedBills, BillContribution } from '../price/priced-bills.js';

/** Composes one invoice from priced bills. Several bills of one customer become one invoice, with a part for each bill. */
export function composeInvoice(bills: readonly Bill[], priced: PricedBills): NewInvoice {
  const { lines, taxes, taxRateIds, total, excess, terms } = priced;
  const discounts = discountsOf(priced);
  return {
    ...(bills.length === 1
      ? detailsOfOneBill(bills[0]!, priced.parts[0]!)
      : detailsOfSeveralBills(bills, priced.parts)),
    lines,
    total,
    ...(new Decimal(excess).isZero() ? {} : { excess }),
    ...(discounts.length > 0 ? { discounts } : {}),
    ...(taxes.length > 0 ? { taxes: [...taxes] } : {}),
    ...(taxRateIds ? { taxRateIds: [...taxRateIds] } : {}),
    ...(terms.taxExemption === undefined ? {} : { taxExemption: terms.taxExemption }),
  };
}

function detailsOfOneBill(bill: Bill, part: BillContribution) {
  const details = pick(bill, [
    'invoiceId',
    'kind',
    'subscriptionId',
    'customerId',
    'currency',
    'billedAt',
    'periodStart',
    'periodEnd',
    'excessTo',
  ]);
  return { ...details, ...billingNotesOf(part) };
}

function detailsOfSeveralBills(bills: readonly Bill[], parts: readonly BillContribution[]) {
  const { invoiceId, kind, customerId, currency, billedAt } = bills[0]!;
  return {
    invoiceId,
    kind,
    customerId,
    currency,
    billedAt,
    subscriptionId: null,
    parts: bills.map(({ subscriptionId, consolidated, periodStart, periodEnd }, i) => ({
      subscriptionId,
      planName: consolidated!.planName,
      periodStart,
      periodEnd,
      ...(consolidated!.planNameTranslations === undefined
        ? {}
        : { planNameTranslations: consolidated!.planNameTranslations }),
      ...billingNotesOf(parts[i]!),
    })),
    periodStart: bills.map((bill) => bill.periodStart).sort()[0]!,
    periodEnd: bills
      .map((bill) => bill.periodEnd)
      .sort()
      .at(-1)!,
  };
}

function billingNotesOf({
  basis,
  readings,
  lateReadings,
  lookBack,
  commitment,
  lateCommitments,
}: BillContribution): ChargeInputs {
  return {
    ...(basis.unit === 'time' ? {} : { basis }),
    ...(readings.length > 0 ? { readings } : {}),
    ...(lateReadings.length > 0 ? { lateReadings: lateReadings.map(withoutSources) } : {}),
    ...(lookBack ? { lookBack } : {}),
    ...(commitment ? { commitment } : {}),
    ...(lateCommitments ? { lateCommitments: lateCommitments.map(withoutSources) } : {}),
  };
}

/** Removes `sources`, because each line of the invoice already names the lines whose amounts it gives back. */
function withoutSources<Found extends { readonly sources?: unknown }>({
  sources: _,
  ...noted
}: Found): Omit<Found, 'sources'> {
  return noted;
}

/**
 * The discounts of an invoice, with the details of each coupon. Coupons that discounted nothing are omitted. Subscriptions of one invoice
 * can have carried discounts of the same redemption, so a discount is found by the place of its coupon.
 */
export function discountsOf({
  discounts,
  terms,
}: Pick<PricedBills, 'discounts'> & {
  readonly terms: Pick<InvoicePricingTerms, 'coupons'>;
}): InvoiceDiscount[] {
  return terms.coupons.flatMap((coupon, i) => {
    const applied = discounts.find(({ place }) => place === i);
    return applied ? [{ ...coupon, amount: applied.amount }] : [];
  });
}
