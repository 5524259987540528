import {
  Decimal,
  laterOf,
  roundToCurrency,
  sumOf,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import type { Period } from '#libs/rating';
import { splitIntoEarnedParts, type EarnedPart } from './recognition.js';

/** An amount that is earned evenly over a period. A deferral is plain JSON. */
export interface Deferral extends Period {
  readonly amount: DecimalString;
}

/** The currency to which earned parts are rounded, and the time zone (IANA) whose months divide the period. */
export interface RecognitionBasis {
  readonly currency: string;
  readonly timezone: string;
}

/**
 * A deferral after its reduction by a credit note. `reversed`, `earned` and the amount of `remaining` sum to the amount that was deferred
 * before the credit note.
 */
export interface CreditedDeferral {
  /** The deferral of the amount that will be earned after the credit note. */
  readonly remaining: Deferral;
  /** The amount that will never be earned. */
  readonly reversed: Decimal;
  /** The amount that was earned since the end of the last month and is not posted yet. */
  readonly earned: Decimal;
}

/** A deferral after a credit note was voided. `deferred` and `earned` sum to the amount that the note had reversed. */
export interface RestoredDeferral {
  /** The deferral of the amount that will be earned after the void of the credit note. */
  readonly remaining: Deferral;
  /**
   * The amount that is added to deferred revenue. It is the restored amount for future time, less the amount that was earned since the end
   * of the last month and is not posted yet. `deferred` is negative if the earned amount is larger than the restored amount for future
   * time.
   */
  readonly deferred: Decimal;
  /**
   * The amount that is added to revenue. It is the restored amount for past time, plus the amount that was earned since the end of the last
   * month and is not posted yet.
   */
  readonly earned: Decimal;
}

/** The parts of a deferral that are earned after the instant `after`. */
export function earnedPartsAfter(
  { amount, ...period }: Deferral,
  after: Instant,
  { currency, timezone }: RecognitionBasis,
): EarnedPart[] {
  return splitIntoEarnedParts(amount, period, currency, timezone).filter(({ at }) => at > after);
}

/**
 * Reduces the unearned rest of a deferral by `share`, a fraction from 0 to 1. A credit note reduces the price of the whole period evenly.
 * So `share` of the amount for the time after `at` is reversed, and the rest is earned evenly. ASC 606-10-32-42 to 45 and IFRS 15
 * (paragraphs 87 to 90) require this for a changed price. `elsewhere` contains the parts of the deferral that other invoices have already
 * reversed.
 */
export function reduceDeferral(
  before: Deferral,
  share: Decimal,
  elsewhere: readonly Deferral[],
  at: Instant,
  by: RecognitionBasis,
): CreditedDeferral {
  const { currency } = by;
  const unearned = unearnedAt(before, at, currency);
  const takenElsewhere = sumOf(elsewhere.map((one) => unearnedAt(one, at, currency)));
  const left = takenElsewhere.abs().lt(unearned.abs()) ? unearned.minus(takenElsewhere) : new Decimal(0);
  const reversed = roundToCurrency(left.times(share), currency);
  const deferral = {
    start: laterOf(before.start, at),
    end: before.end,
    amount: unearned.minus(reversed).toFixed(),
  };
  const earned = deferredAt(before, at, by)
    .minus(reversed)
    .minus(deferredAt(deferral, at, by));
  return { remaining: deferral, reversed, earned };
}

/**
 * Undoes a credit note at the later instant `at`. `reversed` is the amount that the note reversed, over the time after the note. From `at`
 * on, the deferral is earned as if the credit note had never existed. The part of `reversed` for past time is earned at once.
 */
export function restoreDeferral(
  before: Deferral,
  reversed: Deferral,
  at: Instant,
  by: RecognitionBasis,
): RestoredDeferral {
  const { currency } = by;
  const unearned = unearnedAt(before, at, currency).plus(unearnedAt(reversed, at, currency));
  const deferral = { start: laterOf(before.start, at), end: before.end, amount: unearned.toFixed() };
  const deferred = deferredAt(deferral, at, by).minus(deferredAt(before, at, by));
  return { remaining: deferral, deferred, earned: new Decimal(reversed.amount).minus(deferred) };
}

/** The amount of a deferral that is not yet posted to revenue at the instant `at`. */
function deferredAt(deferral: Deferral, at: Instant, by: RecognitionBasis): Decimal {
  return sumOf(earnedPartsAfter(deferral, at, by).map(({ amount }) => amount));
}

/** The amount of a deferral for the time after the instant `at`. */
function unearnedAt({ amount, start, end }: Deferral, at: Instant, currency: string): Decimal {
  const whole = new Decimal(amount);
  if (at >= end) return new Decimal(0);
  if (at <= start) return whole;
  const [elapsed, length] = [Date.parse(at) - Date.parse(start), Date.parse(end) - Date.parse(start)];
  return whole.minus(roundToCurrency(whole.times(elapsed).dividedBy(length), currency));
}
