import {
  AppError,
  Decimal,
  moneyString,
  roundToCurrency,
  sumOf,
  type DecimalString,
  type Instant,
} from '#libs/core';
import { fold } from '#libs/event-store';
import { computeInvoice, evaluatePrice, isRecurring, MONTHS, type ProrationBasis } from '#libs/rating';
import {
  subscriptionDecider,
  type RefundableFee,
  type SubscribedPlan,
  type Subscription,
  type SubscriptionItem,
} from '#libs/subscriptions';

/** What a migration would do to one subscription. Amounts are of fees alone: usage is not known beforehand. */
export interface MigrationEffect {
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly currency: string;
  /** Fees for a month, before and after. */
  readonly currentAmount: DecimalString;
  readonly newAmount: DecimalString;
  /** What is charged for the rest of the present periods, less what is given back; below zero if that is more. */
  readonly proration: DecimalString;
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

/** What moving the subscription to `plan` at `at` would do, by what decides it; shares of periods by `basis`. Pure; nothing is changed. */
export function migrationEffect(
  subscription: Subscription,
  plan: SubscribedPlan,
  at: Instant,
  basis: ProrationBasis,
): MigrationEffect {
  const { subscriptionId, customerId, currency } = subscription;
  const current = moneyString(monthlyFees(subscription.items), currency);
  const about = { subscriptionId, customerId, currency, currentAmount: current };
  try {
    const after = amended(subscription, plan, at, basis);
    const isBilled = after.billCount > subscription.billCount && after.lastBill !== null;
    const charges = isBilled ? after.lastBill!.charges.filter(({ price }) => price.metricId === null) : [];
    const { lines } = computeInvoice({ invoiceId: subscriptionId, currency, charges, basis });
    return {
      ...about,
      newAmount: moneyString(monthlyFees(after.items), currency),
      proration: moneyString(sumOf(lines.map(({ amount }) => amount)), currency),
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    const proration = moneyString(new Decimal(0), currency);
    return { ...about, newAmount: current, proration, problem: { code, message } };
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

function amended(
  subscription: Subscription,
  plan: SubscribedPlan,
  at: Instant,
  basis: ProrationBasis,
): Subscription {
  const { subscriptionId } = subscription;
  const events = subscriptionDecider.decide(
    {
      ...{ type: 'AmendSubscription', subscriptionId, amendmentId: subscriptionId, kind: 'price_migration' },
      change: { plan, addPrices: [], removePrices: [], quantities: {} },
      prorate: true,
      at,
      refundable: asBilled(subscription, basis),
    },
    subscription,
  );
  return fold(subscriptionDecider, events, subscription)!;
}

/** What was paid in advance, taken to have been billed as its price says. */
function asBilled({ prepaid, currency }: Subscription, basis: ProrationBasis): RefundableFee[] {
  return prepaid.map((fee) => {
    const { price, quantity, service, period, invoiceId } = fee;
    const charges = [{ price, quantity, service, period }];
    const { subtotal } = computeInvoice({ invoiceId, currency, charges, basis });
    return { fee, atMost: subtotal };
  });
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
