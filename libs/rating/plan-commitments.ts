import {
  Decimal,
  deriveId,
  moneyString,
  roundToCurrency,
  sumOf,
  type DecimalString,
} from '#libs/kernel/core';
import { linesOf, type LineContext, type MeasuredCharge } from './charge-lines.js';
import type { Charge } from './charges.js';
import { linesGivingBack, type SourceLine } from './give-backs.js';
import { differenceLeft, lateCharge, lateDifference, type LateUsage } from './late-usage.js';
import { describeLine } from './line-description.js';
import type { CommittedPart, InvoiceLine } from './invoice-line.js';
import { lengthOf, type Period } from './periods.js';
import { prorate, remainderOf, type ProrationBasis } from './proration.js';

/** The minimum commitment of a subscription for a stretch of time that ends with a bill. */
export interface PlanCommitment {
  /** One after the other, within `service`; more than one if the least amount was changed meanwhile. */
  readonly parts: readonly CommittedPart[];
  /** The time of the commitment: a billing period or an interval, or the part of it that was served. */
  readonly service: Period;
  /** The full billing period that it ends in, for which the least amounts of parts are that do not say another. */
  readonly period: Period;
  /** The charges of other bills for this time, as {@link countedCharges} reads them. The bill's own charges count besides. */
  readonly counted: readonly CountedCharge[];
}

/** A charge, or one that has the same price as the charge at that place in the list. */
export type CountedCharge = Charge | (Omit<Charge, 'price'> & { readonly priceOf: number });

/** Charges with each version of a price written once: a year of them is part of one event, and a price can have many tiers. */
export function countedOnce(charges: readonly Charge[]): CountedCharge[] {
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

/** The charges that count towards a commitment, each with its price. */
export function countedCharges({ counted }: Pick<PlanCommitment, 'counted'>): Charge[] {
  return counted.map((charge) => {
    if ('price' in charge) return charge;
    const { priceOf, ...others } = charge;
    const of = counted[priceOf];
    if (of === undefined || !('price' in of))
      throw new RangeError(`A counted charge has the price of number ${priceOf}, which has none`);
    return { price: of.price, ...others };
  });
}

/** A commitment with the measured usage of earlier charges. */
export interface MeasuredCommitment extends Omit<PlanCommitment, 'counted'> {
  readonly counted: readonly MeasuredCharge[];
}

/** The result of a commitment. Amounts are rounded. */
export interface CommitmentReading {
  readonly parts: readonly CommittedPart[];
  readonly service: Period;
  /** The committed amount. */
  readonly due: DecimalString;
  /** The sum of the charges for that time, before coupons and taxes. */
  readonly counted: DecimalString;
}

/** A commitment that an earlier invoice billed, for whose time usage has come late. */
export interface LateCommitment extends CommitmentReading {
  /** That invoice. */
  readonly invoiceId: string;
  /** The rest of what was billed to reach the commitment, after coupons, credit notes and voids. */
  readonly atMost: DecimalString;
  /** The lines that are left, in the order in which they are given back; absent: none is known. */
  readonly sources?: readonly SourceLine[];
}

/** The same with what came late. */
export interface RecountedCommitment extends LateCommitment {
  readonly recounted: DecimalString;
}

/**
 * Computes the committed amount and the charges that count towards it. Fees count with the share that falls on its time, whenever they are
 * billed. Usage counts where it is billed, also if that is within the time. One-time charges, charges by hand and charges for earlier
 * periods do not count.
 */
export function readCommitment(
  { parts, service, period, counted }: MeasuredCommitment,
  charges: readonly MeasuredCharge[],
  context: LineContext & { readonly currency: string },
): CommitmentReading {
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

/** Tells whether a charge for usage counts towards a commitment. It counts towards the commitment in which it ends. */
export function countsTowards(
  { service: { end } }: Pick<Charge, 'service'>,
  { service }: Pick<PlanCommitment, 'service'>,
): boolean {
  return service.start < end && end <= service.end;
}

/** A line for the amount missing to the commitment; none if nothing is missing. */
export function commitmentLines(
  reading: CommitmentReading,
  invoiceId: string,
  currency: string,
): InvoiceLine[] {
  const missing = missingTo(reading, reading.counted);
  if (missing.isZero()) return [];
  return [commitmentLine(reading, missing, { invoiceId, currency })];
}

/** Computes earlier commitments again, with the late usage for their time. */
export function recount(
  commitments: readonly LateCommitment[],
  late: readonly LateUsage[],
  currency: string,
): RecountedCommitment[] {
  return commitments.map((commitment) => {
    const more = ofTime(late, commitment).map(lateDifference);
    const recounted = new Decimal(commitment.counted).plus(sumOf(more));
    return { ...commitment, recounted: moneyString(recounted, currency) };
  });
}

/**
 * A line for each commitment to which something else is missing than was billed: what comes late counts towards what its time was committed
 * to. A give-back is in proportion to the rest of the billed amount, and never exceeds it. No more is charged than is given back for usage
 * that became cheaper.
 */
export function recountedLines(
  commitments: readonly RecountedCommitment[],
  late: readonly LateUsage[],
  { invoiceId, currency }: { invoiceId: string; currency: string },
): InvoiceLine[] {
  return commitments.flatMap((commitment) => {
    const { counted, recounted, atMost } = commitment;
    const [before, now] = [missingTo(commitment, counted), missingTo(commitment, recounted)];
    const charged = sumOf(ofTime(late, commitment).map(lateCharge));
    const difference = Decimal.min(
      differenceLeft({ before, now, atMost }, currency),
      Decimal.max(charged.negated(), 0),
    );
    if (difference.isZero()) return [];
    return linesGivingBack(commitmentLine(commitment, difference, { invoiceId, currency }), {
      ...{ amount: difference.negated(), sources: commitment.sources ?? [], currency },
    });
  });
}

function ofTime(late: readonly LateUsage[], commitment: CommitmentReading): LateUsage[] {
  return late.filter(({ charge }) => countsTowards(charge, commitment));
}

function missingTo({ due }: CommitmentReading, counted: DecimalString): Decimal {
  return Decimal.max(new Decimal(due).minus(counted), 0);
}

function amountWithin(charge: MeasuredCharge, service: Period, context: LineContext): Decimal {
  const { refund, left: _, ...charged } = charge;
  if (charge.price.metricId !== null)
    return countsTowards(charge, { service }) ? printed(charged, context) : new Decimal(0);
  // Each share is computed as the rest from an instant on, just as give-backs are. So the shares add up to the billed amount.
  const share = amountFrom(charged, service.start, context).minus(amountFrom(charged, service.end, context));
  return refund ? share.negated() : share;
}

function amountFrom(charge: MeasuredCharge, at: string, context: LineContext): Decimal {
  const service = remainderOf(charge.service, at);
  return lengthOf(service) > 0 ? printed({ ...charge, service }, context) : new Decimal(0);
}

function printed(charge: MeasuredCharge, context: { invoiceId: string; basis: ProrationBasis }): Decimal {
  return sumOf(linesOf([charge], context).map(({ amount }) => amount));
}

function commitmentLine(
  commitment: CommitmentReading | RecountedCommitment,
  amount: Decimal,
  { invoiceId, currency }: { invoiceId: string; currency: string },
): InvoiceLine {
  const { parts, service, due, counted } = commitment;
  const { start, end } = service;
  const late = 'recounted' in commitment ? commitment : null;
  const name = parts.at(-1)!.planName;
  return {
    id: deriveId('line', invoiceId, 'commitment', late?.invoiceId ?? '', start, end),
    type: 'minimum',
    description: describeLine(name, late ? 'lateCommitment' : 'commitment'),
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
