import { type CurrentBillingSettings } from '#libs/contexts/invoicing';
import { subscriptionDecider, type SubscriptionEvent } from '#libs/contexts/subscriptions';
import { Decimal, moneyString, sumOf, type Instant } from '#libs/kernel/core';
import { aggregateId, fold, type Position, type Recorded } from '#libs/kernel/domain';
import { type StreamReader } from '#libs/kernel/event-store';
import type { PastPositions } from '#libs/usage';
import { lastInstantOfMonth } from '../book-months.js';
import type { MeasuredLines, RevenueAccrualEvent } from '../accruals/events.js';
import { postedBefore, revenueAccrualDecider, type RevenueAccrual } from '../accruals/revenue-accrual.js';
import { isLongOver } from '../accruals/revenue-accruals.js';
import { subscriptionStreamName, type UnbilledRevenueMeter } from '../accruals/unbilled-revenue.js';
import type { RevenueMonthEvent } from './events.js';

/** What an earlier measurement could read: the event log before a position, and the usage log up to its positions. */
export interface PastSources {
  readonly settings: CurrentBillingSettings;
  readonly meter: UnbilledRevenueMeter;
}

/** Opens the sources of a past measurement. */
export type OpenPastSources = (before: Position, usage: PastPositions) => PastSources;

/** All events of a subscription and of its accruals. */
export interface AuditedSubscription {
  readonly events: readonly Recorded<SubscriptionEvent>[];
  readonly accruals: readonly Recorded<RevenueAccrualEvent>[];
}

/** What is measured again: the end of a month, from which sources, and the unbilled amounts that the books have. */
interface PastMeasurement {
  readonly before: Position;
  readonly usage: PastPositions;
  readonly last: RevenueAccrual | undefined;
  readonly booked: readonly Amount[];
  readonly end?: { readonly at: Instant; readonly timezone: string };
}

interface Amount {
  readonly priceId: string | null;
  readonly amount: string;
}

/**
 * Measures the unbilled revenue of closed months again, from the event log and the usage log as they were at the closing. The audit of
 * accruals computes the recorded lines again. This audit also finds lines that a measurement left out.
 */
export class ClosedMonthAudit {
  constructor(
    private readonly streams: StreamReader,
    private readonly open: OpenPastSources,
  ) {}

  /** Reads a subscription's streams, once for all its closed months. */
  async read(workspaceId: string, subscriptionId: string): Promise<AuditedSubscription> {
    const accruals = `${revenueAccrualDecider.category}-${aggregateId(workspaceId, subscriptionId)}`;
    return {
      events: (await this.streams.read(
        subscriptionStreamName(workspaceId, subscriptionId),
      )) as Recorded<SubscriptionEvent>[],
      accruals: (await this.streams.read(accruals)) as Recorded<RevenueAccrualEvent>[],
    };
  }

  /**
   * Returns a text for each price of a subscription whose unbilled revenue at the end of a closed month is not what the accruals say.
   * Returns nothing if the month was not measured, or if it does not say up to which position the usage was read. A month is not measured
   * if a later month was already accrued, or if the subscription was over for long. Throws NotFound if a price or a metric is not in the
   * catalog.
   */
  async problems(closing: Recorded<RevenueMonthEvent>, audited: AuditedSubscription): Promise<string[]> {
    const { workspaceId, month } = closing.data;
    const accruals = before(closing.position, audited.accruals);
    if (accruals.some(({ data }) => data.month > month)) return [];
    const past = pastMeasurementOf(closing, accruals);
    if (past === undefined) return [];
    const events = before(past.before, audited.events);
    const subscription = fold(subscriptionDecider, events);
    if (subscription === undefined) return [];
    const { settings, meter } = this.open(past.before, past.usage);
    const { currency } = subscription;
    const timezone =
      past.end?.timezone ?? (await settings.ofWorkspace(workspaceId)).timezone ?? subscription.timezone;
    const at = past.end?.at ?? lastInstantOfMonth(month, timezone);
    if (!past.end && isLongOver(subscription, at) && !past.last?.unbilled.length) return [];
    const again = await meter.measure(events, { workspaceId, month, at, timezone, lastAccrual: past.last });
    const booked = past.last && !past.end ? postedBefore(past.last, { month, at }) : past.booked;
    return differences(booked, again?.unbilled ?? [], currency);
  }
}

function before<E extends { readonly position: Position }>(position: Position, events: readonly E[]): E[] {
  return events.filter((event) => event.position < position);
}

/**
 * The measurement that the books of a closed month rest on. This is the newest accrual of the month. Without one, it is the closing, which
 * found no difference from the accruals of earlier months.
 */
function pastMeasurementOf(
  { data: { month, usageThrough }, position }: Recorded<RevenueMonthEvent>,
  accruals: readonly Recorded<RevenueAccrualEvent>[],
): PastMeasurement | undefined {
  const own = accruals.findLastIndex(({ data }) => data.month === month);
  if (own < 0) {
    const last = fold(revenueAccrualDecider, accruals);
    return usageThrough === undefined
      ? undefined
      : { before: position, usage: () => usageThrough, last, booked: [] };
  }
  const { data, position: before } = accruals[own]!;
  const usage = positionsOf(data.measured, usageThrough);
  if (usage === undefined) return undefined;
  const last = fold(revenueAccrualDecider, accruals.slice(0, own));
  return { before, usage, last, booked: data.unbilled, end: { at: data.at, timezone: data.timezone } };
}

/** The positions in the usage log that a measurement recorded. Undefined if it recorded none, and the closing did not either. */
function positionsOf(measured: MeasuredLines | undefined, usageThrough?: string): PastPositions | undefined {
  const { readings = [], lateReadings = [], lookBack } = measured ?? {};
  const otherwise = lookBack?.through ?? newestOf(readings) ?? usageThrough;
  if (otherwise === undefined) return undefined;
  return ({ definition: { metricId }, start, end }) => {
    const ofMetric = readings.filter((one) => one.metricId === metricId);
    const own = ofMetric.find((one) => one.start === start && one.end === end);
    const late = lateReadings.filter(
      (one) => one.metricId === metricId && one.start >= start && one.end <= end,
    );
    return own?.watermark ?? newestOf(late) ?? otherwise;
  };
}

function newestOf(readings: readonly { readonly watermark: string }[]): string | undefined {
  return readings
    .map(({ watermark }) => watermark)
    .reduce<string | undefined>(
      (newest, one) => (newest === undefined || BigInt(one) > BigInt(newest) ? one : newest),
      undefined,
    );
}

/** A text for each price whose sums differ. */
function differences(booked: readonly Amount[], again: readonly Amount[], currency: string): string[] {
  const prices = new Set([...booked, ...again].map(({ priceId }) => priceId));
  const sumFor = (amounts: readonly Amount[], priceId: string | null) =>
    moneyString(
      sumOf(amounts.filter((one) => one.priceId === priceId).map(({ amount }) => new Decimal(amount))),
      currency,
    );
  return [...prices].flatMap((priceId) => {
    const [has, must] = [sumFor(booked, priceId), sumFor(again, priceId)];
    if (has === must) return [];
    return [
      `has ${has} ${currency} of unbilled revenue of ${priceId ?? 'no price'} and must have ${must} ${currency}`,
    ];
  });
}
