import fc from 'fast-check';
import type { CouponName, PlanName } from './catalog.ts';

/** What a change asks for: another plan, or so many seats. */
export type Target = { readonly plan: PlanName } | { readonly seats: number };

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

/** One step of a history: a request, or a move of the clock. */
export type Operation =
  | { readonly type: 'move'; readonly to: When }
  | { readonly type: 'amend'; readonly to: Target; readonly prorate: boolean }
  | { readonly type: 'schedule'; readonly to: Target; readonly at: 'period_end' | 'end' | 'middle' }
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
  readonly vat: boolean;
  readonly card: 'pays' | 'none';
  readonly coupon: CouponName | null;
}

export const OPERATION_TYPES = [
  ...['move', 'amend', 'schedule', 'migrate', 'priceMigration', 'pause', 'resume', 'cancel'],
  ...['coupon', 'void', 'creditNote', 'usage'],
] as const;

const plan = fc.constantFrom<PlanName>(
  ...([
    'basic',
    'pro',
    'seats',
    'team',
    'quarter',
    'year',
    'supported',
    'late',
    'lateMore',
    'lateQuarter',
  ] as const),
);
const seats = fc.constantFrom(1, 2, 5, 8);
const target: fc.Arbitrary<Target> = fc.oneof(
  { weight: 3, arbitrary: plan.map((name) => ({ plan: name })) },
  { weight: 1, arbitrary: seats.map((count) => ({ seats: count })) },
);
const coupon = fc.constantFrom<CouponName>('quarterOffOnce', 'tenthOff', 'fifteenOnce', 'fiveOff');

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
    arbitrary: fc.record({ type: fc.constant('amend' as const), to: target, prorate: fc.boolean() }),
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

/** Histories of 3 to 8 operations. A third of them are moves of the clock, on average. */
export const histories: fc.Arbitrary<History> = fc.record({
  start: fc.record({
    at: fc.constantFrom(
      '01-01T00:00:00',
      '01-31T00:00:00',
      '03-15T09:30:00',
      '08-31T13:45:30',
      '11-30T23:59:59',
    ),
    plan,
    seats,
    vat: fc.boolean(),
    card: fc.constantFrom('pays', 'none'),
    coupon: fc.option(coupon, { freq: 4, nil: null }),
  }),
  operations: fc.array(fc.oneof({ weight: 4, arbitrary: move }, { weight: 6, arbitrary: request }), {
    minLength: 3,
    maxLength: 8,
    size: 'max',
  }),
});

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
