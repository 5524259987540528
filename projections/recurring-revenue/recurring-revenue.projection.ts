import { dayIn, Decimal, moneyString, roundToCurrency, sumOf, type Instant } from '#libs/kernel/core';
import type { Recorded } from '#libs/kernel/domain';
import { foldProjection } from '#libs/kernel/projection';
import { pausedItems, type SubscriptionEvent, type SubscriptionItem } from '#libs/contexts/subscriptions';
import { evaluatePrice, isRecurring, MONTHS_PER_PERIOD } from '#libs/rating';
import { RecurringRevenueRow, type MovementKind } from './recurring-revenue-row.js';

const EVENTS = [
  'SubscriptionCreated',
  'SubscriptionStarted',
  'SubscriptionTrialEnded',
  'SubscriptionRenewed',
  'SubscriptionLicensesCounted',
  'SubscriptionPaused',
  'SubscriptionResumed',
  'SubscriptionAmended',
  'SubscriptionCanceled',
] as const;

type TermsEvent = Extract<SubscriptionEvent, { type: (typeof EVENTS)[number] }>;

/** The monthly recurring revenue of each subscription: its recurring fees before coupons and taxes, divided by the months of a period. */
export const recurringRevenueProjection = foldProjection<RecurringRevenueRow, TermsEvent>({
  name: 'recurring-revenue',
  version: 2,
  entity: RecurringRevenueRow,
  eventTypes: EVENTS,
  keyOf: ({ stream }) => stream,
  isFirst: ({ type }) => type === 'SubscriptionCreated',
  evolve: (row, event) => {
    const before = event.type === 'SubscriptionCreated' ? newRow(event) : row;
    const change = before && changeOf(before, event);
    if (before === undefined || change === undefined) return before;
    return moved({ ...before, ...change }, event);
  },
});

function newRow({
  stream,
  data: { subscriptionId, customerId, currency, timezone },
  metadata: { workspaceId },
}: Recorded<Extract<TermsEvent, { type: 'SubscriptionCreated' }>>): RecurringRevenueRow {
  const about = { stream, workspaceId, subscriptionId, customerId, currency, timezone };
  return { ...about, charged: false, items: [], licenses: null, amount: '0', movements: [] };
}

/**
 * Returns the fees after the event, and whether the subscription is charged for them. Fields that are absent from the result do not change.
 * Returns undefined if nothing changes, as in most renewals.
 */
function changeOf(
  { items, licenses }: RecurringRevenueRow,
  { type, data }: Recorded<TermsEvent>,
): Partial<RecurringRevenueRow> | undefined {
  switch (type) {
    case 'SubscriptionCreated': {
      const { phase, licenses: counted = null } = data;
      return { charged: phase === 'active', items: feesOf(data.items), licenses: counted };
    }
    case 'SubscriptionStarted':
    case 'SubscriptionResumed':
      return { charged: data.phase === 'active' };
    case 'SubscriptionTrialEnded':
      return { charged: true };
    case 'SubscriptionPaused':
      return { charged: false, items: pausedItems({ items, licenses: licenses ?? undefined }) };
    case 'SubscriptionCanceled':
      return { charged: false };
    case 'SubscriptionRenewed':
      return data.items && { items: feesOf(data.items) };
    case 'SubscriptionLicensesCounted':
      return { items: feesOf(data.items), licenses: data.licenses };
    case 'SubscriptionAmended':
      return { items: feesOf(data.items) };
  }
}

function feesOf(items: readonly SubscriptionItem[]): SubscriptionItem[] {
  return items.filter(({ price }) => price.metricId === null && isRecurring(price.cadence));
}

/** Returns the row with its new amount, and with a movement if the amount changed. */
function moved(row: RecurringRevenueRow, event: Recorded<TermsEvent>): RecurringRevenueRow {
  const after = row.charged ? monthlyAmountOf(row) : new Decimal(0);
  const change = after.minus(row.amount);
  if (change.isZero()) return row;
  const movement = {
    month: dayIn(row.timezone, timeOf(event)).slice(0, 'yyyy-mm'.length),
    kind: kindOf(row, change, event),
    amount: moneyString(change, row.currency),
  };
  return { ...row, amount: moneyString(after, row.currency), movements: [...row.movements, movement] };
}

function monthlyAmountOf({ items, currency }: RecurringRevenueRow): Decimal {
  const amounts = items.flatMap(({ price: { config, cadence }, quantity }) => {
    if (!isRecurring(cadence)) return [];
    return [new Decimal(evaluatePrice(config, { quantity }).amount).dividedBy(MONTHS_PER_PERIOD[cadence])];
  });
  return roundToCurrency(sumOf(amounts), currency);
}

function kindOf(
  { movements }: RecurringRevenueRow,
  change: Decimal,
  { type }: Recorded<TermsEvent>,
): MovementKind {
  if (type === 'SubscriptionCanceled') return 'churn';
  if (change.isNegative()) return 'contraction';
  return movements.length === 0 ? 'new' : 'expansion';
}

function timeOf({ type, data }: Recorded<TermsEvent>): Instant {
  // A subscription can be created after its start.
  if (type === 'SubscriptionCreated') return data.startedAt;
  return 'at' in data ? data.at : data.period.start;
}
