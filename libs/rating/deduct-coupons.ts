import { Decimal, moneyString, roundToCurrency, sumOf, type DecimalString } from '#libs/kernel/core';
import { apportion } from './apportion.js';

/**
 * The discount of a coupon. A discount is `percent` of the amount that earlier coupons left, or a fixed amount that is at most the amount
 * left.
 */
export type Discount =
  | { readonly type: 'percentage'; readonly percent: DecimalString }
  | { readonly type: 'fixed'; readonly amount: DecimalString; readonly currency: string };

/** A coupon that can be used on an invoice. */
export interface UsableCoupon {
  readonly couponId: string;
  readonly discount: Discount;
  /** The ids of the lines to which the coupon applies. If absent, the coupon applies to the whole invoice. */
  readonly lineIds?: readonly string[];
  /** The share of a line, from 0 to 1, that the coupon discounts, by line id. A line that is not named is discounted as a whole. */
  readonly lineShares?: ReadonlyMap<string, Decimal>;
}

/** A line to which coupons are applied. Its amount is rounded to the currency's minor unit. */
export interface DiscountableLine {
  readonly id: string;
  readonly amount: DecimalString;
}

/** The discount of one coupon. `amount` is the discount on all lines together. `lines` has the part of the discount for each line. */
export interface AppliedCoupon {
  readonly couponId: string;
  /** The place of the coupon in the given order, beginning with 0. Several of the given coupons can have the same id. */
  readonly place: number;
  readonly amount: DecimalString;
  readonly lines: readonly { readonly id: string; readonly amount: DecimalString }[];
}

/**
 * Deducts coupons one after the other. Each coupon reduces the amounts that remain after the earlier coupons. Coupons for certain lines are
 * deducted before coupons for the whole invoice, each kind in the given order. Each discount is rounded once and distributed over its lines
 * in proportion, without a rounding difference. No line becomes negative, and a negative line (a credit) stays unchanged. The result
 * contains only coupons that reduced an amount. Coupons that reduced no amount do not count as used. A coupon with a fixed amount in
 * another currency is not applied.
 */
export function deductCoupons(
  lines: readonly DiscountableLine[],
  coupons: readonly UsableCoupon[],
  currency: string,
): AppliedCoupon[] {
  const left = new Map(lines.map(({ id, amount }) => [id, Decimal.max(amount, 0)]));
  const placed = coupons.map((coupon, place) => ({ ...coupon, place }));
  const inOrder = [
    ...placed.filter(({ lineIds }) => lineIds !== undefined),
    ...placed.filter(({ lineIds }) => lineIds === undefined),
  ];
  return inOrder.flatMap(({ couponId, place, discount, lineIds, lineShares }) => {
    const within = [...left].filter(([id]) => lineIds === undefined || lineIds.includes(id));
    const amounts = within.map(([id, amount]) => amount.times(lineShares?.get(id) ?? 1));
    const amount = discountOn(sumOf(amounts), discount, currency);
    if (amount.isZero()) return [];
    const parts = apportion(amount, amounts, currency).map((part, i) => ({ id: within[i]![0], part }));
    for (const { id, part } of parts) left.set(id, left.get(id)!.minus(part));
    return [
      {
        couponId,
        place,
        amount: moneyString(amount, currency),
        lines: parts
          .filter(({ part }) => !part.isZero())
          .map(({ id, part }) => ({ id, amount: moneyString(part, currency) })),
      },
    ];
  });
}

function discountOn(amount: Decimal, discount: Discount, currency: string): Decimal {
  if (discount.type === 'fixed') {
    if (discount.currency !== currency) return new Decimal(0);
    const fixed = Decimal.min(roundToCurrency(new Decimal(discount.amount), currency), amount);
    // A share of a line is not rounded, so it can be less than the fixed amount by a part of a cent.
    return roundToCurrency(fixed, currency);
  }
  return roundToCurrency(amount.times(discount.percent).dividedBy(100), currency);
}
