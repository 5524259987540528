import { Decimal, moneyString, sumOf } from '#libs/kernel/core';
import { BILLING_DEFAULTS, type CreditNote, type Invoice } from '#libs/contexts/invoicing';
import {
  deductCoupons,
  computeCreditNoteAmounts,
  taxesOnLines,
  type UsableCoupon,
  type RequestedCreditAmounts,
  type InvoiceLine,
  type TaxRate,
} from '#libs/rating';
import { toCreditableInvoice } from '#libs/contexts/invoicing';
import { invoiceOf, sampleAddress, sampleEvents, sampleSeller } from './sample-invoice.js';

type Change = NonNullable<Parameters<(typeof sampleEvents)['created']>[0]>;

/** What an invoice is made of; the rest follows. */
export interface Ingredients {
  currency: string;
  lines: Pick<InvoiceLine, 'type' | 'description' | 'quantity' | 'unitPrice' | 'amount' | 'taxRateIds'>[];
  coupons?: UsableCoupon[];
  rate?: TaxRate;
  /** Those that lines name. */
  rates?: TaxRate[];
  /** What the balance has for it. */
  balance?: string;
  change?: Change;
}

export const vatRate = (percentage: string, inclusive = false, taxRateId = 'tax_1'): TaxRate => ({
  taxRateId,
  name: 'VAT',
  percentage,
  inclusive,
});

/** An open invoice of a seller and a buyer of whom everything is known, with the sums that these lines come to. */
export function eInvoiceSample({
  currency,
  lines,
  coupons = [],
  rate,
  rates = [],
  balance = '0',
  change = {},
}: Ingredients): Invoice {
  const period = { periodStart: '2023-11-16T00:00:00.000Z', periodEnd: '2023-12-16T00:00:00.000Z' };
  const undiscounted = lines.map((line, i): InvoiceLine => ({
    id: `line_${i}`,
    priceId: 'price_1',
    priceVersion: 1,
    ...period,
    ...line,
  }));
  const applied = deductCoupons(undiscounted, coupons, currency);
  const discounted = undiscounted.map((line) => {
    const taken = applied.flatMap((one) => one.lines.filter(({ id }) => id === line.id));
    if (taken.length === 0) return line;
    return { ...line, discount: moneyString(sumOf(taken.map(({ amount }) => amount)), currency) };
  });
  const discounts = applied.map(({ couponId, amount }) => ({
    redemptionId: `red_${couponId}`,
    couponId,
    name: `Coupon ${couponId}`,
    amount,
    discount: coupons.find((one) => one.couponId === couponId)!.discount,
  }));
  const {
    taxes,
    added,
    taxRateIds,
    lines: all,
  } = taxesOnLines(discounted, rate ? [rate] : [], rates, currency);
  const net = all.map(({ amount, discount = '0' }) => new Decimal(amount).minus(discount));
  const gross = sumOf(net).plus(added);
  const total = moneyString(Decimal.max(gross, 0), currency);
  const details: Change = {
    currency,
    total,
    lines: all,
    discounts,
    ...(taxes.length > 0 ? { taxes: [...taxes] } : {}),
    ...(taxRateIds ? { taxRateIds: [...taxRateIds] } : {}),
    ...(gross.isNegative() && !gross.isZero() ? { excess: moneyString(gross.negated(), currency) } : {}),
    billToAddress: sampleAddress,
    billToTaxId: 'FR40303265045',
    settings: { ...BILLING_DEFAULTS, seller: sampleSeller, eInvoicing: 'facturx' },
    ...change,
  };
  const balanceApplied = moneyString(Decimal.min(balance, total), currency);
  return invoiceOf(sampleEvents.created(details), sampleEvents.opened({ balanceApplied }));
}

/** One more credit note on an invoice, with the sums that it comes to; all of it goes off what is unpaid. */
export function eCreditNoteSample(invoice: Invoice, request: RequestedCreditAmounts): CreditNote {
  const amounts = computeCreditNoteAmounts(toCreditableInvoice(invoice), request);
  const nothing = moneyString(new Decimal(0), invoice.currency);
  return {
    creditNoteId: 'cn_1',
    number: 'CN-000001',
    issuedAt: '2023-12-20T00:00:00.000Z',
    reason: 'service_issue',
    memo: null,
    refundStatus: 'none',
    ...amounts,
    unpaid: amounts.total,
    toBalance: nothing,
    refunded: nothing,
  };
}
