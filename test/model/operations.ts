import fc from 'fast-check';
import {
  ADD_ONS,
  COUPONS,
  PLANS,
  type AddOn,
  type CouponName,
  type PlanName,
  type PriceName,
} from './catalog.ts';
import { CREDIT_TYPE_NAMES, type CreditTypeName } from './credits.ts';
import type { PaidInvoice } from './payment-requests.ts';
import { CARDS, type CardName } from './payments.ts';

/** What a change asks for: another plan, so many seats, a price more or a price less. */
export type Target =
  | { readonly plan: PlanName }
  | { readonly seats: number }
  | { readonly add: PriceName }
  | { readonly remove: PriceName };

/** A target in words, so that it still means something in a history that was made shorter. */
export type AskedTarget =
  | { readonly plan: PlanName }
  | { readonly seats: number }
  /** An add-on, or the price that was removed first. */
  | { readonly add: AddOn | 'removed' }
  /** The newest add-on, or a flat fee of the plan. */
  | { readonly remove: 'added' | 'fee' };

/** An instant in words, so that it still means something in a history that was made shorter. */
export type When =
  /** Half the time to the end of the present period. */
  | 'middle'
  /** A second before the period ends. */
  | 'just before the end'
  /** As the period ends. */
  | 'end'
  /** Ten days on. */
  | 'ten days'
  /** Past the end of the next period too. */
  | 'two periods';

/** How a subscription ends. */
export interface CancelOptions {
  readonly credit: 'balance' | 'refund' | 'none';
  readonly finalInvoice: boolean;
}

/** A request about the credits of one type. `lastsDays`: null if they never expire. */
export type CreditOperation = { readonly credits: CreditTypeName } & (
  | {
      readonly type: 'grant';
      readonly amount: number;
      readonly priority: number;
      readonly startsAfterDays: number;
      readonly lastsDays: number | null | 'default';
    }
  /** Usage that costs credits: the units of each event of one request. */
  | { readonly type: 'spend'; readonly units: readonly number[]; readonly daysAgo: number }
  | { readonly type: 'voidCredits'; readonly amount: number }
  | { readonly type: 'voidBlock'; readonly block: 'first' | 'last' | 'bought'; readonly creditNote: boolean }
  | {
      readonly type: 'purchase';
      readonly amount: number;
      readonly collection: 'charge' | 'send_invoice';
      readonly lastsDays: number | null | 'default';
    }
  /** Pays the newest purchase that is not paid, whatever its type. */
  | { readonly type: 'payPurchase' }
  | {
      readonly type: 'topUp';
      readonly threshold: number;
      readonly amount: number;
      readonly maxPerMonth: number;
    }
  | { readonly type: 'removeTopUp' }
);

/** Money of a card payment that goes back at the payment processor, without a request of the seller. */
export type GatewayReturn = {
  readonly part: 'part' | 'all';
  readonly invoice: 'newest' | 'oldest';
} & ({ readonly type: 'refundAtGateway' } | { readonly type: 'dispute'; readonly decision: 'won' | 'lost' });

/** A request about money that no gateway charges. `isMoney`: the customer paid it in advance, or was paid out. */
export type PaymentOperation =
  | {
      readonly type: 'recordPayment';
      readonly part: 'part' | 'all' | 'more';
      readonly method: 'bank_transfer' | 'cash';
      readonly invoice: PaidInvoice;
    }
  /** A payment that counts, if there is one. */
  | { readonly type: 'reversePayment'; readonly payment: 'newest' | 'oldest' }
  | { readonly type: 'payFromBalance'; readonly amount: number | 'most'; readonly invoice: PaidInvoice }
  | {
      readonly type: 'giveBalance' | 'takeBalance';
      readonly amount: number;
      readonly isMoney: boolean;
    };

/** One step of a history: a request, or a move of the clock. */
export type Operation =
  | CreditOperation
  | PaymentOperation
  | GatewayReturn
  | { readonly type: 'allocate' }
  | { readonly type: 'deactivate'; readonly license: 'oldest' | 'newest' }
  | { readonly type: 'move'; readonly to: When }
  | { readonly type: 'amend'; readonly to: AskedTarget; readonly prorate: boolean }
  | {
      readonly type: 'schedule';
      readonly to: { readonly plan: PlanName } | { readonly seats: number };
      readonly at: 'period_end' | 'end' | 'middle';
    }
  | { readonly type: 'migrate'; readonly at: 'now' | 'period_end' }
  | { readonly type: 'priceMigration'; readonly to: PlanName; readonly at: 'end' | 'middle' }
  | { readonly type: 'pause'; readonly at: 'now' | 'period_end'; readonly resumesAfterDays: number | null }
  | { readonly type: 'resume' }
  | ({ readonly type: 'cancel'; readonly immediately: boolean } & CancelOptions)
  | { readonly type: 'coupon'; readonly coupon: CouponName }
  | { readonly type: 'void' }
  | {
      readonly type: 'creditNote';
      readonly over: 'line' | 'amount' | 'rest';
      readonly percent: number;
      readonly invoice: 'newest' | 'oldest';
      readonly to: 'balance' | 'default';
    }
  /** Another card, which becomes the default. */
  | { readonly type: 'changeCard'; readonly card: CardName }
  /** A request to pay the newest open invoice. */
  | { readonly type: 'pay' }
  /** Closes the revenue of the months that are over. */
  | { readonly type: 'closeMonths' }
  | { readonly type: 'usage'; readonly units: number; readonly daysAgo: number };

/** A customer, a subscription, and what happens to it. */
export interface History {
  readonly start: Start;
  readonly operations: readonly Operation[];
}

export interface Start {
  /** Month, day and time of day that it begins at, in the year that the workspace is in or the next. */
  readonly at: string;
  readonly plan: PlanName;
  readonly seats: number;
  readonly licenses: number;
  readonly vat: boolean;
  readonly card: CardName | 'none';
  readonly coupon: CouponName | null;
  /** What the last step of dunning does with the subscription. */
  readonly dunning: DunningAction;
}

export type DunningAction = 'none' | 'pause' | 'cancel';

export const OPERATION_TYPES = [
  'move',
  'amend',
  'schedule',
  'migrate',
  'priceMigration',
  'pause',
  'resume',
  'cancel',
  'coupon',
  'void',
  'creditNote',
  'changeCard',
  'pay',
  'recordPayment',
  'reversePayment',
  'payFromBalance',
  'giveBalance',
  'takeBalance',
  'refundAtGateway',
  'dispute',
  'usage',
  'closeMonths',
  'allocate',
  'deactivate',
  'grant',
  'spend',
  'voidCredits',
  'voidBlock',
  'purchase',
  'payPurchase',
  'topUp',
  'removeTopUp',
] as const;

const plan = fc.constantFrom<PlanName>(...(Object.keys(PLANS) as PlanName[]));
const seats = fc.constantFrom(1, 2, 5, 8);
const target: fc.Arbitrary<{ plan: PlanName } | { seats: number }> = fc.oneof(
  { weight: 3, arbitrary: plan.map((name) => ({ plan: name })) },
  { weight: 1, arbitrary: seats.map((count) => ({ seats: count })) },
);
const priceTarget: fc.Arbitrary<AskedTarget> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ADD_ONS, 'removed' as const).map((add) => ({ add })) },
  { weight: 2, arbitrary: fc.constantFrom('added' as const, 'fee' as const).map((remove) => ({ remove })) },
);
const amendTarget: fc.Arbitrary<AskedTarget> = fc.oneof(
  { weight: 3, arbitrary: target },
  { weight: 2, arbitrary: priceTarget },
);
const coupon = fc.constantFrom(...(Object.keys(COUPONS) as CouponName[]));

const move: fc.Arbitrary<Operation> = fc.record({
  type: fc.constant('move' as const),
  to: fc.constantFrom<When>(
    'middle',
    'middle',
    'just before the end',
    'end',
    'end',
    'ten days',
    'two periods',
  ),
});
const request: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 7,
    arbitrary: fc.record({ type: fc.constant('amend' as const), to: amendTarget, prorate: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('schedule' as const),
      to: target,
      at: fc.constantFrom('period_end', 'period_end', 'end', 'middle'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('migrate' as const), at: fc.constantFrom('now', 'period_end') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('priceMigration' as const),
      to: plan,
      at: fc.constantFrom('end', 'middle'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('pause' as const),
      at: fc.constantFrom('now', 'now', 'period_end'),
      resumesAfterDays: fc.constantFrom(null, null, 10, 40),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'resume' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('cancel' as const),
      immediately: fc.constantFrom(true, false, false),
      credit: fc.constantFrom('balance', 'balance', 'refund', 'none'),
      finalInvoice: fc.constantFrom(true, true, false),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('coupon' as const), coupon }) },
  { weight: 2, arbitrary: fc.constant({ type: 'void' as const }) },
  { weight: 2, arbitrary: fc.constant({ type: 'closeMonths' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('creditNote' as const),
      over: fc.constantFrom('line', 'amount', 'rest'),
      percent: fc.constantFrom(25, 50, 100),
      invoice: fc.constantFrom('newest', 'oldest'),
      to: fc.constantFrom('balance', 'default'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('usage' as const),
      units: fc.constantFrom(10, 33, 200),
      daysAgo: fc.constantFrom(0, 0, 12, 33),
    }),
  },
);

const credits = fc.constantFrom(...CREDIT_TYPE_NAMES);
const lastsDays = fc.constantFrom<(number | null | 'default')[]>('default', 'default', null, 6, 25);
const creditRequest: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('grant' as const),
      credits,
      amount: fc.constantFrom(50, 120, 33),
      priority: fc.constantFrom(10, 10, 0, 15),
      startsAfterDays: fc.constantFrom(0, 0, 0, 5),
      lastsDays,
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      type: fc.constant('spend' as const),
      credits,
      units: fc.constantFrom([1], [40], [17, 3], [100, 10, 25], [300, 5]),
      daysAgo: fc.constantFrom(0, 0, 0, 12),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('voidCredits' as const),
      credits,
      amount: fc.constantFrom(7.5, 60),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('voidBlock' as const),
      credits,
      block: fc.constantFrom('first', 'last', 'bought'),
      creditNote: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('purchase' as const),
      credits,
      amount: fc.constantFrom(100, 333),
      collection: fc.constantFrom('charge', 'charge', 'send_invoice'),
      lastsDays,
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('payPurchase' as const), credits }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('topUp' as const),
      credits,
      threshold: fc.constantFrom(20, 75),
      amount: fc.constantFrom(30, 150),
      maxPerMonth: fc.constantFrom(1, 2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('removeTopUp' as const), credits }) },
);
const cards = Object.keys(CARDS) as CardName[];
const paymentRequest: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('changeCard' as const), card: fc.constantFrom(...cards) }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'pay' as const }) },
);
const paidInvoice = fc.constantFrom<PaidInvoice>('unpaid', 'unpaid', 'unpaid', 'newest');
const moneyRequest: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('recordPayment' as const),
      part: fc.constantFrom('part', 'all', 'more'),
      method: fc.constantFrom('bank_transfer', 'cash'),
      invoice: paidInvoice,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('reversePayment' as const),
      payment: fc.constantFrom('newest', 'oldest'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('payFromBalance' as const),
      amount: fc.constantFrom<(number | 'most')[]>('most', 'most', 7),
      invoice: paidInvoice,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('giveBalance', 'giveBalance', 'takeBalance'),
      amount: fc.constantFrom(5, 40),
      isMoney: fc.boolean(),
    }),
  },
);
const part = fc.constantFrom<'part' | 'all'>('part', 'part', 'all');
const newestOrOldest = fc.constantFrom<'newest' | 'oldest'>('newest', 'oldest');
const gatewayReturn: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('refundAtGateway' as const),
      part,
      invoice: newestOrOldest,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('dispute' as const),
      decision: fc.constantFrom('won', 'lost'),
      part,
      invoice: newestOrOldest,
    }),
  },
);
const licenseRequest: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'allocate' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('deactivate' as const),
      license: fc.constantFrom('oldest', 'newest'),
    }),
  },
);

/** Histories of one mixture of requests on one mixture of plans. A third of the operations are moves of the clock, on average. */
function historiesOf(
  plans: fc.Arbitrary<PlanName>,
  weights: { terms: number; credits: number; licenses: number; payments?: number; transfers?: number },
  dunning: fc.Arbitrary<DunningAction> = fc.constant('none'),
): fc.Arbitrary<History> {
  const { terms, credits, licenses, payments = 0, transfers = payments } = weights;
  return fc.record({
    start: fc.record({
      at: fc.constantFrom(
        '01-01T00:00:00',
        '01-31T00:00:00',
        '03-15T09:30:00',
        '08-31T13:45:30',
        '11-30T23:59:59',
      ),
      plan: plans,
      seats,
      licenses: fc.constantFrom(0, 1, 3),
      vat: fc.boolean(),
      card: payments > 0 ? fc.constantFrom(...cards, 'none') : fc.constantFrom('pays', 'none'),
      coupon: fc.option(coupon, { freq: 4, nil: null }),
      dunning,
    }),
    operations: fc.array(
      fc.oneof(
        { weight: 4, arbitrary: move },
        { weight: terms, arbitrary: request },
        { weight: credits, arbitrary: creditRequest },
        { weight: licenses, arbitrary: licenseRequest },
        { weight: payments, arbitrary: paymentRequest },
        { weight: transfers, arbitrary: moneyRequest },
        { weight: payments / 2, arbitrary: gatewayReturn },
      ),
      { minLength: 3, maxLength: 8, size: 'max' },
    ),
  });
}

const withAllowances = fc.constantFrom<PlanName>('included', 'rolling', 'quarterIncluded');
const withLicenses = fc.constantFrom<PlanName>('licensed', 'licensedLate', 'licensedYear');

/** No card pays: an invoice stays open until a transfer or the balance pays it, or the last step of dunning comes. */
const dunned = historiesOf(
  plan,
  { terms: 3, credits: 0, licenses: 0, transfers: 3 },
  fc.constantFrom('pause', 'pause', 'cancel'),
).map(({ start, operations }) => ({ start: { ...start, card: 'none' as const }, operations }));

/** Histories of 3 to 8 operations: most about terms, and others about credits, licenses, payments or dunning besides. */
export const histories: fc.Arbitrary<History> = fc.oneof(
  { weight: 4, arbitrary: historiesOf(plan, { terms: 6, credits: 0, licenses: 0 }) },
  { weight: 3, arbitrary: historiesOf(withAllowances, { terms: 2, credits: 5, licenses: 0 }) },
  { weight: 2, arbitrary: historiesOf(withLicenses, { terms: 2, credits: 0, licenses: 4 }) },
  { weight: 2, arbitrary: historiesOf(plan, { terms: 3, credits: 3, licenses: 1 }) },
  { weight: 3, arbitrary: historiesOf(plan, { terms: 3, credits: 0, licenses: 0, payments: 4 }) },
  { weight: 2, arbitrary: dunned },
);

/** The history of a run's seed and number: the same each time. */
export function historyOf(seed: number, number: number): History {
  return fc.sample(histories, { seed: seed * 1_000_003 + number, numRuns: 1 })[0]!;
}

/** One operation in one line. */
export function told(operation: Operation): string {
  const { type, ...how } = operation;
  const words = Object.entries(how).map(([name, value]) => `${name} ${wordOf(value)}`);
  return [type, ...words].join(' ');
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
}
