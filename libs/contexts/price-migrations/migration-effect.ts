import {
  AppError,
  Decimal,
  moneyString,
  roundToCurrency,
  sumOf,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import { applicableCoupons, priceFees } from '#libs/contexts/billing';
import { usableCoupons, type CustomerCoupon } from '#libs/contexts/coupons';
import { fold } from '#libs/kernel/domain';
import type { Invoice } from '#libs/contexts/invoicing';
import { evaluatePrice, isRecurring, MONTHS, type ProrationBasis } from '#libs/rating';
import {
  subscriptionDecider,
  type Bill,
  type SubscribedPlan,
  type Subscription,
  type SubscriptionItem,
} from '#libs/contexts/subscriptions';

/** What bills of a subscription are reckoned by. */
export interface BilledBy {
  /** What shares of periods are counted in. */
  readonly basis: ProrationBasis;
  /** The invoices of what was paid in advance, as far as they have been made. */
  readonly invoices: readonly Invoice[];
  /** Those that the customer has had, in the order in which it got them. */
  readonly coupons: readonly CustomerCoupon[];
}

/** What a migration would do to one subscription. Amounts are of fees alone: usage is not known beforehand. */
export interface MigrationEffect {
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly currency: string;
  /** Fees for a month, before and after. */
  readonly currentAmount: DecimalString;
  readonly newAmount: DecimalString;
  /** What is charged for the rest of the present periods, less coupons and what is given back; below zero if that is more. */
  readonly proration: DecimalString;
  /** The coupons that would take something off, and the invoice that they would be used on. */
  readonly couponUses: readonly { readonly redemptionId: string; readonly invoiceId: string }[];
  /** Why it could not be migrated now; null if it could. */
  readonly problem: { readonly code: string; readonly message: string } | null;
}

/** What effects come to together, in one currency. Those with a problem count as they are. */
export interface TotalEffect {
  readonly currency: string;
  readonly subscriptions: number;
  readonly currentAmount: DecimalString;
  readonly newAmount: DecimalString;
  readonly proration: DecimalString;
}

/** When a subscription is moved: at `at`, or as its period ends that is present then. */
export interface MoveTime {
  readonly at: Instant;
  readonly atPeriodEnd: boolean;
}

/** What moving the subscription to `plan` would do, by what decides it and what bills it. Pure; nothing is changed. */
export function migrationEffect(
  subscription: Subscription,
  plan: SubscribedPlan,
  { at, atPeriodEnd }: MoveTime,
  billedBy: BilledBy,
): MigrationEffect {
  const { subscriptionId, customerId, currency } = subscription;
  const current = moneyString(monthlyFees(subscription.items), currency);
  const about = { subscriptionId, customerId, currency, currentAmount: current };
  try {
    const after = amended(subscription, plan, at);
    const isRenewal = atPeriodEnd && subscription.phase === 'active';
    const bill = isRenewal
      ? renewalBill(subscription, plan)
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

/** The sums by currency. */
export function totalEffects(effects: readonly MigrationEffect[]): TotalEffect[] {
  return [...Map.groupBy(effects, ({ currency }) => currency)].map(([currency, of]) => {
    const sum = (amount: 'currentAmount' | 'newAmount' | 'proration') =>
      moneyString(sumOf(of.map((effect) => effect[amount])), currency);
    return {
      currency,
      subscriptions: of.length,
      currentAmount: sum('currentAmount'),
      newAmount: sum('newAmount'),
      proration: sum('proration'),
    };
  });
}

function amended(subscription: Subscription, plan: SubscribedPlan, at: Instant): Subscription {
  const { subscriptionId } = subscription;
  const events = subscriptionDecider.decide(
    {
      ...{ type: 'AmendSubscription', subscriptionId, amendmentId: subscriptionId, kind: 'price_migration' },
      change: { plan, addPrices: [], removePrices: [], quantities: {} },
      prorate: true,
      at,
    },
    subscription,
  );
  return fold(subscriptionDecider, events, subscription)!;
}

/**
 * What the bill in the renewal's place settles of longer periods, which go on beyond that of billing; null if it is nothing. The rest is
 * what a renewal charges in any case. As if nothing else were to happen until then.
 */
function renewalBill(subscription: Subscription, plan: SubscribedPlan): Bill | null {
  const { subscriptionId, planId: fromPlanId, period, amendments } = subscription;
  const due = period.end;
  const change = { plan, addPrices: [], removePrices: [], quantities: {} };
  const amendment = { amendmentId: subscriptionId, kind: 'price_migration', change, prorate: true } as const;
  const undisturbed = {
    ...{ ...subscription, cancelAt: null, plannedPause: null },
    amendments: amendments.filter(({ status }) => status !== 'scheduled'),
  };
  const events = subscriptionDecider.decide(
    {
      ...{ type: 'AdvanceSubscription', subscriptionId, due, at: due },
      run: { runId: '', trigger: 'schedule' },
      priceChanges: [{ fromPlanId, effectiveAt: due, plannedAt: period.start, amendment }],
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

/** What the fees of the bill come to, with the coupons that count for it as the subscription is by then. */
function settled(
  bill: Bill | null,
  { subscriptionId, planId, currency }: Subscription,
  { basis, coupons, invoices, lastBill }: BilledBy & Pick<Subscription, 'lastBill'>,
): Pick<MigrationEffect, 'proration' | 'couponUses'> {
  if (!bill) return { proration: moneyString(new Decimal(0), currency), couponUses: [] };
  const usable = usableCoupons(coupons, [bill]);
  const terms = applicableCoupons([bill], usable, new Map([[subscriptionId, planId]]), () =>
    lastBill ? [lastBill] : [],
  );
  const { subtotal, discounts } = priceFees(bill, terms, basis, { invoices, lastBill });
  const discount = sumOf(discounts.map(({ amount }) => amount));
  const { invoiceId } = bill;
  return {
    proration: moneyString(new Decimal(subtotal).minus(discount), currency),
    couponUses: discounts
      .filter(({ couponId }) => terms.some(({ redemptionId }) => redemptionId === couponId))
      .map(({ couponId: redemptionId }) => ({ redemptionId, invoiceId })),
  };
}

function monthlyFees(items: readonly SubscriptionItem[]): Decimal {
  return sumOf(
    items.flatMap(({ price, quantity }) => {
      if (price.metricId !== null || !isRecurring(price.cadence)) return [];
      const { amount } = evaluatePrice(price.config, { quantity });
      return [roundToCurrency(new Decimal(amount).dividedBy(MONTHS[price.cadence]), price.config.currency)];
    }),
  );
}
