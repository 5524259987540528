import { Decimal, decimalString, jsonNumbers, type DecimalString } from '#libs/kernel/core';
import type { EventTally } from './event-tally.js';
import { deductFreeUnits } from './included.js';
import type { BaseConfig, PricedUsage, PricingModel, UsageCost, RatedTier } from './model.js';

/**
 * A price that is a percentage of the amounts of events. The free events and the free amount are used up by the events in order of time.
 * When either the free events or the free amount is used up, no further event is free. The event that exceeds the free amount pays the
 * percentage of the part above it, and the whole fixed fee. For each charged event, the minimum and maximum per event limit the sum of
 * percentage and fixed fee.
 */
export interface PercentageConfig extends BaseConfig<'percentage'> {
  /** The rate in percent. For example, a rate of 1.5 on an amount of 200 costs 3. */
  readonly rate: DecimalString;
  readonly fixedFee?: DecimalString;
  /** Zero means the same as an absent field, for `freeEvents` and for `freeAmount`. */
  readonly freeEvents?: number;
  readonly freeAmount?: DecimalString;
  readonly minimumPerEvent?: DecimalString;
  readonly maximumPerEvent?: DecimalString;
}

export const percentageModel: PricingModel<'percentage', PercentageConfig> = {
  name: 'percentage',
  chargeKind: 'metric',
  read(fields) {
    const freeEvents = fields.optionalCount('freeEvents');
    const config = {
      rate: fields.amount('rate'),
      ...fields.optionalAmounts('fixedFee', 'freeAmount', 'minimumPerEvent', 'maximumPerEvent'),
      ...(freeEvents === undefined ? {} : { freeEvents }),
    };
    fields.checkOrder(config, 'minimumPerEvent', 'maximumPerEvent');
    return config;
  },
  write: ({ rate, fixedFee, freeEvents, freeAmount, minimumPerEvent, maximumPerEvent }) => ({
    ...jsonNumbers({ rate, fixedFee, freeAmount, minimumPerEvent, maximumPerEvent }),
    ...(freeEvents === undefined ? {} : { freeEvents }),
  }),
  isAdditive: (config) => !isPerEvent(config) && isNothing(config.freeAmount),
  needsEvents: isPerEvent,
  rate: (config, usage) => (isPerEvent(config) ? rateEvents(config, usage) : rateSum(config, usage)),
};

/** Tells whether the cost depends on single events, and not only on their sum. */
function isPerEvent(config: PercentageConfig): boolean {
  const { fixedFee, freeEvents = 0, minimumPerEvent, maximumPerEvent } = config;
  return (
    !isNothing(fixedFee) || freeEvents > 0 || !isNothing(minimumPerEvent) || maximumPerEvent !== undefined
  );
}

function rateSum({ rate, freeAmount }: PercentageConfig, { quantity }: PricedUsage): UsageCost {
  const { charged, free } = deductFreeUnits(Decimal.max(quantity, 0), freeAmount);
  const amount = percentOf(rate, charged);
  const tier = { upTo: null, quantity: decimalString(charged), rate, amount: decimalString(amount) };
  return { amount, tiers: [...free, tier] };
}

function rateEvents({ rate, fixedFee }: PercentageConfig, { events }: PricedUsage): UsageCost {
  if (!events)
    throw new RangeError(
      'A percentage price with terms for single events needs the single events, not only their sum',
    );
  const { included, freeEvents, freeAmount, chargedEvents, chargedAmount, charge } = events;
  const tiers: RatedTier[] = [];
  if (!isNothing(included)) tiers.push({ upTo: null, quantity: included, free: true, amount: '0' });
  if (freeEvents > 0 || !isNothing(freeAmount))
    tiers.push({ upTo: null, quantity: freeAmount, events: freeEvents, free: true, amount: '0' });
  const fee = isNothing(fixedFee) ? {} : { fixedFee: fixedFee! };
  tiers.push({ upTo: null, quantity: chargedAmount, rate, events: chargedEvents, ...fee, amount: charge });
  return { amount: new Decimal(charge), tiers };
}

/**
 * Adds one event of `amount` to the tally. An event with a negative amount is a correction. A correction gives back the percentage, and has
 * no fixed fee.
 */
export function tallyEvent(config: PercentageConfig, tally: EventTally, amount: Decimal): EventTally {
  if (amount.isNegative() && !amount.isZero())
    return charged(tally, amount, percentOf(config.rate, amount), 0);

  const left = Decimal.max(new Decimal(config.includedUnits ?? 0).minus(tally.included), 0);
  const included = Decimal.min(left, amount);
  const rest = amount.minus(included);
  const after = { ...tally, included: decimalString(included.plus(tally.included)) };
  if (!included.isZero() && rest.isZero()) return after;

  const free = freeShare(config, tally, rest);
  if (free === undefined) return charged(after, rest, chargeOf(config, rest), 1);
  const freeAmount = decimalString(free.plus(tally.freeAmount));
  if (free.eq(rest)) return { ...after, freeEvents: tally.freeEvents + 1, freeAmount };
  const above = rest.minus(free);
  return charged({ ...after, freeAmount }, above, chargeOf(config, above), 1);
}

/**
 * Returns the part of the event's amount that is free. Returns undefined if nothing is free, or if the free events or the free amount are
 * used up.
 */
function freeShare(config: PercentageConfig, tally: EventTally, amount: Decimal): Decimal | undefined {
  const { freeEvents = 0 } = config;
  const freeAmount = isNothing(config.freeAmount) ? undefined : new Decimal(config.freeAmount!);
  if (freeEvents === 0 && freeAmount === undefined) return undefined;
  if (freeEvents > 0 && tally.freeEvents >= freeEvents) return undefined;
  if (freeAmount === undefined) return amount;
  const left = freeAmount.minus(tally.freeAmount);
  return left.gt(0) ? Decimal.min(left, amount) : undefined;
}

function chargeOf({ rate, fixedFee = '0', ...bounds }: PercentageConfig, amount: Decimal): Decimal {
  const charge = Decimal.max(percentOf(rate, amount).plus(fixedFee), bounds.minimumPerEvent ?? 0);
  return bounds.maximumPerEvent === undefined ? charge : Decimal.min(charge, bounds.maximumPerEvent);
}

function charged(tally: EventTally, amount: Decimal, charge: Decimal, events: number): EventTally {
  return {
    ...tally,
    chargedEvents: tally.chargedEvents + events,
    chargedAmount: decimalString(amount.plus(tally.chargedAmount)),
    charge: decimalString(charge.plus(tally.charge)),
  };
}

function percentOf(rate: DecimalString, amount: Decimal): Decimal {
  return amount.times(rate).dividedBy(100);
}

function isNothing(amount: DecimalString | undefined): boolean {
  return amount === undefined || new Decimal(amount).isZero();
}
