import {
  Decimal,
  deriveId,
  moneyString,
  roundToCurrency,
  sumOf,
  type DecimalString,
  storedTranslations,
} from '#libs/kernel/core';
import { linesOfCharges, type LineContext, type MeasuredCharge } from './charge-lines.js';
import type { Charge } from './charges.js';
import { divideLineGivingBack, type GiveBackSourceLine } from './give-backs.js';
import {
  differenceToCharge,
  lateUsageAmountToCharge,
  lateUsageCostIncrease,
  type LateUsage,
} from './late-usage-lines.js';
import { describeLine } from './line-description.js';
import type { CommittedPart, InvoiceLine } from './invoice-line.js';
import { periodMillis, type Period } from './periods.js';
import { prorate, remainderOf, type ProrationBasis } from './proration.js';

/**
 * The minimum commitment of a subscription for a time range. The bill at the end of the time range charges what is missing to the
 * commitment.
 */
export interface PlanCommitment {
  /** The consecutive parts of `service`. There are several parts if the minimum was changed during the commitment. */
  readonly parts: readonly CommittedPart[];
  /**
   * The time for which the commitment is computed: a billing period, an interval, or the part of it in which the subscription was active.
   */
  readonly service: Period;
  /**
   * The full billing period at the end of the commitment. The full billing period is used for each part that has no `period` of its own.
   */
  readonly period: Period;
  /**
   * The charges of other bills that count towards the commitment, to be read with {@link countedChargesWithPrices}. The charges of the
   * present bill are added to them.
   */
  readonly counted: readonly ChargeWithSharedPrice[];
}

/** A charge. A charge omits its price if an earlier charge in the list has it; `priceOf` is then the index of that charge. */
export type ChargeWithSharedPrice = Charge | (Omit<Charge, 'price'> & { readonly priceOf: number });

/**
 * Replaces repeated prices in a list by references, so that each version of a price is stored only once. An event with all charges of a
 * year would otherwise be too large, because a price can have many tiers.
 */
export function replaceRepeatedPrices(charges: readonly Charge[]): ChargeWithSharedPrice[] {
  const places = new Map<string, number>();
  return charges.map((charge, i) => {
    const { price, ...others } = charge;
    const key = `${price.priceId} ${price.version}`;
    const priceOf = places.get(key);
    if (priceOf !== undefined) return { ...others, priceOf };
    places.set(key, i);
    return charge;
  });
}

/** Returns the charges that count towards a commitment, each with its price. */
export function countedChargesWithPrices({ counted }: Pick<PlanCommitment, 'counted'>): Charge[] {
  return counted.map((charge) => {
    if ('price' in charge) return charge;
    const { priceOf, ...others } = charge;
    const of = counted[priceOf];
    if (of === undefined || !('price' in of))
      throw new RangeError(`A counted charge refers to the price of charge ${priceOf}, which has no price`);
    return { price: of.price, ...others };
  });
}

/** A commitment whose `counted` charges have their measured usage. */
export interface MeasuredCommitment extends Omit<PlanCommitment, 'counted'> {
  readonly counted: readonly MeasuredCharge[];
}

/** A commitment with its computed amounts, which are rounded. */
export interface ComputedCommitment {
  /** The consecutive parts of `service`, each with its minimum. */
  readonly parts: readonly CommittedPart[];
  /** The time for which the commitment is computed. */
  readonly service: Period;
  /** The committed amount. */
  readonly due: DecimalString;
  /** The sum of the charges for the commitment's time, before coupons and taxes. */
  readonly counted: DecimalString;
}

/** A commitment that an earlier invoice billed, and for whose time late usage has arrived. */
export interface CommitmentWithLateUsage extends ComputedCommitment {
  /** The invoice that billed the commitment. */
  readonly invoiceId: string;
  /** The part of the billed commitment that remains after coupons, credit notes and voids. */
  readonly atMost: DecimalString;
  /**
   * The earlier lines whose amounts can still be given back, in the order in which they are used up. Absent if these lines are not known.
   */
  readonly sources?: readonly GiveBackSourceLine[];
}

/** A commitment that was billed earlier, with the sum of the charges including late usage. */
export interface RecountedCommitment extends CommitmentWithLateUsage {
  /** The sum of the charges for the commitment's time, including late usage. */
  readonly recounted: DecimalString;
}

/**
 * Computes the committed amount and the charges that count towards it. A fee counts with the share of its period that is in the
 * commitment's time. The date of the bill that charges the fee does not matter. Usage counts towards the commitment in which the period of
 * the usage charge ends. One-time charges, items of manual invoices and charges for earlier periods do not count.
 */
export function computeCommitment(
  { parts, service, period, counted }: MeasuredCommitment,
  charges: readonly MeasuredCharge[],
  context: LineContext & { readonly currency: string },
): ComputedCommitment {
  const { currency, basis } = context;
  const due = sumOf(
    parts.map((part) => prorate(new Decimal(part.minimum), part, part.period ?? period, basis)),
  );
  const amounts = [...counted, ...charges].map((charge) => amountWithin(charge, service, context));
  return {
    parts,
    service,
    due: moneyString(roundToCurrency(due, currency), currency),
    counted: moneyString(sumOf(amounts), currency),
  };
}

/** Tells whether a charge for usage counts towards a commitment. A usage charge counts towards the commitment in which it ends. */
export function countsTowardsCommitment(
  { service: { end } }: Pick<Charge, 'service'>,
  { service }: Pick<PlanCommitment, 'service'>,
): boolean {
  return service.start < end && end <= service.end;
}

/** Returns a line for the amount that is missing to the commitment. Returns no line if the charges reach the commitment. */
export function commitmentLines(
  reading: ComputedCommitment,
  invoiceId: string,
  currency: string,
): InvoiceLine[] {
  const missing = missingTo(reading, reading.counted);
  if (missing.isZero()) return [];
  return [commitmentLine(reading, missing, { invoiceId, currency })];
}

/** Recomputes earlier commitments with the late usage that belongs to them. */
export function recountCommitments(
  commitments: readonly CommitmentWithLateUsage[],
  late: readonly LateUsage[],
  currency: string,
): RecountedCommitment[] {
  return commitments.map((commitment) => {
    const more = ofTime(late, commitment).map(lateUsageCostIncrease);
    const recounted = new Decimal(commitment.counted).plus(sumOf(more));
    return { ...commitment, recounted: moneyString(recounted, currency) };
  });
}

/**
 * Returns a line for each commitment whose missing amount has changed because of late usage. An amount given back is reduced in proportion
 * to the remaining part of the billed amount, and never exceeds that part. If usage became cheaper, the additional charge never exceeds the
 * amount that is given back for this usage.
 */
export function recountedCommitmentLines(
  commitments: readonly RecountedCommitment[],
  late: readonly LateUsage[],
  { invoiceId, currency }: { invoiceId: string; currency: string },
): InvoiceLine[] {
  return commitments.flatMap((commitment) => {
    const { counted, recounted, atMost } = commitment;
    const [before, now] = [missingTo(commitment, counted), missingTo(commitment, recounted)];
    const charged = sumOf(ofTime(late, commitment).map(lateUsageAmountToCharge));
    const difference = Decimal.min(
      differenceToCharge({ before, now, atMost }, currency),
      Decimal.max(charged.negated(), 0),
    );
    if (difference.isZero()) return [];
    return divideLineGivingBack(commitmentLine(commitment, difference, { invoiceId, currency }), {
      amount: difference.negated(),
      sources: commitment.sources ?? [],
      currency,
    });
  });
}

function ofTime(late: readonly LateUsage[], commitment: ComputedCommitment): LateUsage[] {
  return late.filter(({ charge }) => countsTowardsCommitment(charge, commitment));
}

function missingTo({ due }: ComputedCommitment, counted: DecimalString): Decimal {
  return Decimal.max(new Decimal(due).minus(counted), 0);
}

function amountWithin(charge: MeasuredCharge, service: Period, context: LineContext): Decimal {
  const { refund, remainingFee: _, ...charged } = charge;
  if (charge.price.metricId !== null)
    return countsTowardsCommitment(charge, { service }) ? printed(charged, context) : new Decimal(0);
  // Each share is the difference of two remainders, each from one instant on, which is how give-backs are computed. So the shares sum to
  // the billed amount.
  const share = amountFrom(charged, service.start, context).minus(amountFrom(charged, service.end, context));
  return refund ? share.negated() : share;
}

function amountFrom(charge: MeasuredCharge, at: string, context: LineContext): Decimal {
  const service = remainderOf(charge.service, at);
  return periodMillis(service) > 0 ? printed({ ...charge, service }, context) : new Decimal(0);
}

function printed(charge: MeasuredCharge, context: { invoiceId: string; basis: ProrationBasis }): Decimal {
  return sumOf(linesOfCharges([charge], context).map(({ amount }) => amount));
}

function commitmentLine(
  commitment: ComputedCommitment | RecountedCommitment,
  amount: Decimal,
  { invoiceId, currency }: { invoiceId: string; currency: string },
): InvoiceLine {
  const { parts, service, due, counted } = commitment;
  const { start, end } = service;
  const late = 'recounted' in commitment ? commitment : null;
  const { planName: name, planNameTranslations } = parts.at(-1)!;
  return {
    id: deriveId('line', invoiceId, 'commitment', late?.invoiceId ?? '', start, end),
    type: 'minimum',
    description: describeLine(name, late ? 'lateCommitment' : 'commitment'),
    ...storedTranslations(planNameTranslations),
    priceId: null,
    priceVersion: null,
    quantity: '1',
    amount: moneyString(amount, currency),
    periodStart: start,
    periodEnd: end,
    commitment: {
      parts: [...parts],
      due,
      ...(late
        ? { counted: late.recounted, invoiceId: late.invoiceId, countedBefore: counted }
        : { counted }),
    },
  };
}
