import { moneyString, sumOf, Decimal } from '#libs/kernel/core';
import {
  appliedCredit,
  deductCoupons,
  computeInvoice,
  hasUseLeft,
  type CouponDuration,
  type CouponUse,
  type Discount,
  type MeasuredCharge,
  type PriceConfig,
} from '#libs/rating';
import { requireValue } from './require-value.ts';

const month = { start: '2024-03-01T00:00:00.000Z', end: '2024-04-01T00:00:00.000Z' };

/** A line of a case: a fee of the month. */
function feeOf(id: string, config: PriceConfig, quantity?: string): MeasuredCharge {
  const price = {
    priceId: id,
    version: 1,
    name: id,
    config,
    cadence: 'monthly',
    timing: 'in_arrears',
    metricId: null,
  } as const;
  return { price, service: month, period: month, ...(quantity === undefined ? {} : { quantity }) };
}

export function round({ currency, amounts }: { currency: string; amounts: string[] }) {
  return { amounts: amounts.map((amount) => moneyString(new Decimal(amount), currency)) };
}

interface InvoiceCase {
  currency: string;
  lines: { amount?: string; quantity?: string; unit_price?: string }[];
}

export function invoice({ currency, lines }: InvoiceCase) {
  const charges = lines.map(({ amount = '0', quantity, unit_price }, i) =>
    unit_price === undefined
      ? feeOf(`line ${i}`, { model: 'flat', amount, currency })
      : feeOf(`line ${i}`, { model: 'unit', unitPrice: unit_price, currency }, quantity),
  );
  const computed = computeInvoice({ invoiceId: 'invoice', currency, charges });
  return { lines: computed.lines.map(({ amount }) => amount), total: computed.total };
}

interface Line {
  id: string;
  amount: string;
}

interface GoldenCoupon {
  id?: string;
  type: 'fixed' | 'percentage';
  amount?: string;
  percent?: string;
  currency?: string;
}

/** On one invoice, on which it may be limited to lines. */
interface OneTimeCoupon extends GoldenCoupon {
  applies_to?: string[];
}

/** On one invoice after the other, each of one line. */
interface CycleCoupon extends GoldenCoupon {
  duration?: 'once' | 'repeating' | 'forever';
  cycles?: number;
}

function discountOf(
  { type, amount = '0', percent = '0', ...coupon }: GoldenCoupon,
  currency: string,
): Discount {
  return type === 'fixed' ? { type, amount, currency: coupon.currency ?? currency } : { type, percent };
}

interface CouponsCase {
  currency: string;
  lines: Line[];
  coupons: OneTimeCoupon[];
  /** In which order coupons apply: as they are listed, the only one there is. */
  order?: 'as_listed';
}

export function coupons({ currency, lines, coupons: listed, order }: CouponsCase) {
  requireValue('order', order, 'as_listed');
  const applied = deductCoupons(
    lines,
    listed.map((coupon, i) => ({
      couponId: coupon.id ?? String(i),
      discount: discountOf(coupon, currency),
      ...(coupon.applies_to ? { lineIds: coupon.applies_to } : {}),
    })),
    currency,
  );
  const discount = sumOf(applied.map(({ amount }) => amount));
  const takenOff = (id: string) =>
    sumOf(
      applied.flatMap((coupon) => coupon.lines.filter((line) => line.id === id)).map(({ amount }) => amount),
    );
  const left = lines.map(({ id, amount }) => [
    id,
    moneyString(new Decimal(amount).minus(takenOff(id)), currency),
  ]);
  return {
    discount: moneyString(discount, currency),
    total: moneyString(sumOf(lines.map(({ amount }) => amount)).minus(discount), currency),
    lines: Object.fromEntries(left) as object,
    used: applied.map(({ couponId }) => couponId),
  };
}

interface CouponCyclesCase {
  currency: string;
  price: string;
  cycles: number;
  coupons: CycleCoupon[];
}

export function coupon_cycles({ currency, price, cycles, coupons: listed }: CouponCyclesCase) {
  const uses = new Map<string, CouponUse[]>();
  const usesOf = (couponId: string) => uses.get(couponId) ?? [];
  const all = listed.map((coupon, i) => ({
    couponId: coupon.id ?? String(i),
    discount: discountOf(coupon, currency),
    duration: durationOf(coupon),
  }));
  const totals = Array.from({ length: cycles }, (_, cycle) => {
    const at = `${2001 + cycle}-01-01T00:00:00.000Z`;
    const periods = [{ subscriptionId: 'subscription', start: at }];
    const invoice = { invoiceId: `invoice ${cycle}`, at, timezone: 'UTC', periods };
    const counting = all.filter(({ couponId, duration }) => hasUseLeft(duration, usesOf(couponId), invoice));
    const charges = [feeOf('price', { model: 'flat', amount: price, currency })];
    const { total, discounts } = computeInvoice({
      invoiceId: 'invoice',
      currency,
      charges,
      coupons: counting,
    });
    for (const { couponId } of discounts) uses.set(couponId, [...usesOf(couponId), invoice]);
    return total;
  });
  return { totals };
}

function durationOf({ duration = 'once', cycles = 1 }: CycleCoupon): CouponDuration {
  return duration === 'repeating' ? { type: duration, invoices: cycles } : { type: duration };
}

interface InvoiceFlowCase extends CouponsCase {
  credits: string[];
}

export function invoice_flow({ currency, lines, coupons: listed, order, credits }: InvoiceFlowCase) {
  requireValue('order', order, 'as_listed');
  const computed = computeInvoice({
    invoiceId: 'invoice',
    currency,
    charges: lines.map(({ id, amount }) => feeOf(id, { model: 'flat', amount, currency })),
    coupons: listed.map((coupon, i) => ({
      couponId: coupon.id ?? String(i),
      discount: discountOf(coupon, currency),
      ...(coupon.applies_to ? { priceIds: coupon.applies_to } : {}),
    })),
  });
  const used = useUp(credits, computed.total);
  const totalOf = (of: readonly { amount: string }[]) =>
    moneyString(sumOf(of.map(({ amount }) => amount)), currency);
  return {
    subtotal: computed.subtotal,
    discount: totalOf(computed.discounts),
    credits_used: moneyString(used, currency),
    total: moneyString(new Decimal(computed.total).minus(used), currency),
  };
}

/** What credits, one after the other, pay of what is owed. */
function useUp(credits: readonly string[], owed: string): Decimal {
  return credits.reduce(
    (used, amount) => used.plus(appliedCredit(amount, new Decimal(owed).minus(used).toFixed())),
    new Decimal(0),
  );
}

interface VoidRebillCase {
  currency: string;
  /** What the invoice is over, and the credit that there was before it. */
  total: string;
  credits: string;
}

/** A void gives back the credits that the invoice used; billing the same again uses them again. */
export function void_rebill({ currency, total, credits }: VoidRebillCase) {
  const charges = [feeOf('price', { model: 'flat', amount: total, currency })];
  const bill = (balance: string) => {
    const { total: owed } = computeInvoice({ invoiceId: 'invoice', currency, charges });
    const used = useUp([balance], owed);
    const due = moneyString(new Decimal(owed).minus(used), currency);
    return { used, due, left: new Decimal(balance).minus(used) };
  };
  const first = bill(credits);
  const balance = first.left.plus(first.used);
  const second = bill(balance.toFixed());
  return {
    credits_used: moneyString(first.used, currency),
    balance_after_void: moneyString(balance, currency),
    balance_after_rebill: moneyString(second.left, currency),
    rebilled_total: second.due,
  };
}
