import {
  AppError,
  Decimal,
  moneyString,
  roundToCurrency,
  sumOf,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import { applicableCoupons, couponInvoiceOf, priceFees } from '#libs/contexts/billing';
import { usableCoupons, type CustomerCoupon } from '#libs/contexts/coupons';
import { fold } from '#libs/kernel/domain';
import type { Invoice } from '#libs/contexts/invoicing';
import {
  evaluatePrice,
  isRecurring,
  MONTHS_PER_PERIOD,
  type CouponInvoice,
  type ProrationBasis,
} from '#libs/rating';
import {
  subscriptionDecider,
  type Bill,
  type PriceMap,
  type SubscribedPlan,
  type Subscription,
  type SubscriptionItem,
  type TermsChange,
} from '#libs/contexts/subscriptions';

/** The data for pricing the bills of a subscription. */
export interface BillPricingData {
  /** The unit in which proration measures parts of a period. */
  readonly prorationBasis: ProrationBasis;
  /**
   * The invoices that charged fees of the subscription in advance. The list lacks the invoice of a bill if the invoice is not created yet.
   */
  readonly invoices: readonly Invoice[];
  /** The coupons of the customer, in the order in which the customer got them. */
  readonly coupons: readonly CustomerCoupon[];
}

/** The effect that a migration would have on one subscription. The amounts contain only fees, because future usage is not known. */
export interface MigrationEffect {
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly currency: string;
  /** The monthly fees before the move (`currentAmount`) and after it (`newAmount`). */
  readonly currentAmount: DecimalString;
  readonly newAmount: DecimalString;
  /**
   * The fees that the move itself bills, less coupons and give-backs, without taxes. For a move at once, these are the new fees for the
   * remaining time, new one-time prices, and old fees in arrears until the move. For a move at the end of the period, only fees count whose
   * own periods continue after it. Negative if coupons and give-backs exceed the charges.
   */
  readonly proration: DecimalString;
  /** The coupons that would give a discount, each with the invoice that would use the coupon. */
  readonly couponUses: readonly ({ readonly redemptionId: string } & CouponInvoice)[];
  /** The reason why the subscription could not be migrated now. Null if it could. */
  readonly problem: { readonly code: string; readonly message: string } | null;
}

/**
 * The sums of the effects in one currency. A subscription that cannot be migrated adds its present amount to `currentAmount` and to
 * `newAmount`.
 */
export interface TotalEffect {
  readonly currency: string;
  readonly subscriptionCount: number;
  readonly currentAmount: DecimalString;
  readonly newAmount: DecimalString;
  readonly proration: DecimalString;
}

/** The plan that subscriptions are moved to, and the prices that take the place of the old ones. */
export interface MigrationTarget {
  readonly plan: SubscribedPlan;
  readonly priceMap: PriceMap;
}

/** The time at which a subscription is moved: the instant `at`, or the end of the period that contains `at`. */
export interface MoveTime {
  readonly at: Instant;
  readonly atPeriodEnd: boolean;
}

/**
 * Returns the effect of moving the subscription to another plan. The function uses the rules that decide and price the real move. Pure: it
 * changes nothing.
 */
export function migrationEffect(
  subscription: Subscription,
  to: MigrationTarget,
  { at, atPeriodEnd }: MoveTime,
  billedBy: BillPricingData,
): MigrationEffect {
  const { subscriptionId, customerId, currency } = subscription;
  const current = moneyString(monthlyFees(subscription.items), currency);
  const about = { subscriptionId, customerId, currency, currentAmount: current };
  try {
    const after = amended(subscription, to, at);
    const isRenewal = atPeriodEnd && subscription.phase === 'active';
    const bill = isRenewal
      ? renewalBill(subscription, to)
      : after.billCount > subscription.billCount
        ? after.lastBill
        : null;
    return {
      ...about,
      newAmount: moneyString(monthlyFees(after.items), currency),
      ...settled(bill, after, { ...billedBy, lastBill: subscription.lastBill }),
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    const nothing = settled(null, subscription, { ...billedBy, lastBill: null });
    return { ...about, newAmount: current, ...nothing, problem: { code, message } };
  }
}

/** Returns the sums of effects, one for each currency. */
export function totalEffects(effects: readonly MigrationEffect[]): TotalEffect[] {
  return [...Map.groupBy(effects, ({ currency }) => currency)].map(([currency, of]) => {
    const sum = (amount: 'currentAmount' | 'newAmount' | 'proration') =>
      moneyString(sumOf(of.map((effect) => effect[amount])), currency);
    return {
      currency,
      subscriptionCount: of.length,
      currentAmount: sum('currentAmount'),
      newAmount: sum('newAmount'),
      proration: sum('proration'),
    };
  });
}

function changeTo({ plan, priceMap }: MigrationTarget): TermsChange {
  return { plan, addPrices: [], removePrices: [], quantities: {}, priceMap };
}

function amended(subscription: Subscription, to: MigrationTarget, at: Instant): Subscription {
  const { subscriptionId } = subscription;
  const events = subscriptionDecider.decide(
    {
      type: 'AmendSubscription',
      subscriptionId,
      amendmentId: subscriptionId,
      kind: 'price_migration',
      change: changeTo(to),
      prorate: true,
      at,
    },
    subscription,
  );
  return fold(subscriptionDecider, events, subscription)!;
}

/**
 * Returns the bill of a move at the end of the period, which replaces the renewal. The bill contains only the charges and give-backs that a
 * renewal would not have. These charges and give-backs are for fees whose own periods continue after the billing period. Null if the bill
 * would be empty. The function assumes that the subscription does not change before its renewal.
 */
function renewalBill(subscription: Subscription, to: MigrationTarget): Bill | null {
  const { subscriptionId, planId: fromPlanId, period, amendments } = subscription;
  const due = period.end;
  const change = changeTo(to);
  const amendment = { amendmentId: subscriptionId, kind: 'price_migration', change, prorate: true } as const;
  const undisturbed = {
    ...subscription,
    cancelAt: null,
    plannedPause: null,
    amendments: amendments.filter(({ status }) => status !== 'scheduled'),
  };
  const events = subscriptionDecider.decide(
    {
      type: 'AdvanceSubscription',
      subscriptionId,
      due,
      at: due,
      run: { runId: '', trigger: 'schedule' },
      plannedMigrations: [{ fromPlanId, effectiveAt: due, plannedAt: period.start, amendment }],
    },
    undisturbed,
  );
  const bill = fold(subscriptionDecider, events, undisturbed)!.lastBill;
  const charges = (bill?.charges ?? []).filter(
    ({ refund, service, period: own }) =>
      refund !== undefined || (service.start === due && own.start < service.start),
  );
  return bill && charges.length > 0 ? { ...bill, charges } : null;
}

/**
 * Returns the total of the bill's fees, less coupons, and the coupons that are used. Only coupons that apply to the subscription's
 * plan (`planId`) count.
 */
function settled(
  bill: Bill | null,
  subscription: Subscription,
  { prorationBasis, coupons, invoices, lastBill }: BillPricingData & Pick<Subscription, 'lastBill'>,
): Pick<MigrationEffect, 'proration' | 'couponUses'> {
  const { subscriptionId, planId, currency } = subscription;
  if (!bill) return { proration: moneyString(new Decimal(0), currency), couponUses: [] };
  const invoice = couponInvoiceOf([bill], [subscription]);
  const usable = usableCoupons(coupons, invoice);
  const terms = applicableCoupons([bill], usable, new Map([[subscriptionId, planId]]), () =>
    lastBill ? [lastBill] : [],
  );
  const { subtotal, discounts } = priceFees(bill, terms, prorationBasis, { invoices, lastBill });
  const discount = sumOf(discounts.map(({ amount }) => amount));
  return {
    proration: moneyString(new Decimal(subtotal).minus(discount), currency),
    couponUses: discounts
      .filter(({ couponId }) => terms.some(({ redemptionId }) => redemptionId === couponId))
      .map(({ couponId: redemptionId }) => ({ redemptionId, ...invoice })),
  };
}

function monthlyFees(items: readonly SubscriptionItem[]): Decimal {
  return sumOf(
    items.flatMap(({ price, quantity }) => {
      if (price.metricId !== null || !isRecurring(price.cadence)) return [];
      const { amount } = evaluatePrice(price.config, { quantity });
      return [
        roundToCurrency(
          new Decimal(amount).dividedBy(MONTHS_PER_PERIOD[price.cadence]),
          price.config.currency,
        ),
      ];
    }),
  );
}
