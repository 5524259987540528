import {
  Decimal,
  laterOf,
  roundToCurrency,
  sumOf,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import type { Period } from '#libs/rating';
import { earnedEvenly, type EarnedPart } from './recognition.js';

/** An amount that is earned evenly over a period. Plain JSON. */
export interface Deferral extends Period {
  readonly amount: DecimalString;
}

/** How a deferral is earned: in parts of whole units of the currency, by the months of the time zone. */
export interface Recognition {
  readonly currency: string;
  readonly timezone: string;
}

/** What a credit note makes of a deferral. The amounts and what is still deferred sum to what was deferred before. */
export interface CreditedDeferral {
  /** What is earned from now on. */
  readonly deferral: Deferral;
  /** Will never be earned. */
  readonly reversed: Decimal;
  /** Was earned since the last month's end, and is not in the books yet. */
  readonly earned: Decimal;
}

/** What the void of a credit note makes of a deferral. `deferred` and `earned` sum to what the note had reversed. */
export interface RestoredDeferral {
  /** What is earned from now on. */
  readonly deferral: Deferral;
  /** Is deferred again; below zero where more was earned since the last month's end than comes back. */
  readonly deferred: Decimal;
  /** Falls on the time up to now, with what was earned since the last month's end and is not in the books yet. */
  readonly earned: Decimal;
}

/** What is earned of a deferral after a moment. */
export function partsAfter(
  { amount, ...period }: Deferral,
  after: Instant,
  { currency, timezone }: Recognition,
): EarnedPart[] {
  return earnedEvenly(amount, period, currency, timezone).filter(({ at }) => at > after);
}

/**
 * Credits a share of what is left of a deferral, from 0 to 1. A credit note reduces the price of the whole period evenly. So the same share
 * of the time after `at` is taken back, and the rest is earned evenly. That is what ASC 606-10-32-42 to 45 and IFRS 15 (paragraphs 87 to
 * 90) take for a price that changes. `elsewhere`: what other invoices take from it.
 */
export function creditDeferral(
  before: Deferral,
  share: Decimal,
  elsewhere: readonly Deferral[],
  at: Instant,
  by: Recognition,
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
  return { deferral, reversed, earned };
}

/**
 * Undoes a credit note at a later moment: `reversed` is what it took back, over the time after it. From then on the deferral is earned as
 * if the note had never been. The part of `reversed` for past time is earned at once.
 */
export function restoreDeferral(
  before: Deferral,
  reversed: Deferral,
  at: Instant,
  by: Recognition,
): RestoredDeferral {
  const { currency } = by;
  const unearned = unearnedAt(before, at, currency).plus(unearnedAt(reversed, at, currency));
  const deferral = { start: laterOf(before.start, at), end: before.end, amount: unearned.toFixed() };
  const deferred = deferredAt(deferral, at, by).minus(deferredAt(before, at, by));
  return { deferral, deferred, earned: new Decimal(reversed.amount).minus(deferred) };
}

/** What of a deferral is not in revenue at a moment. */
function deferredAt(deferral: Deferral, at: Instant, by: Recognition): Decimal {
  return sumOf(partsAfter(deferral, at, by).map(({ amount }) => amount));
}

/** What of a deferral falls on the time after a moment. */
function unearnedAt({ amount, start, end }: Deferral, at: Instant, currency: string): Decimal {
  const whole = new Decimal(amount);
  if (at >= end) return new Decimal(0);
  if (at <= start) return whole;
  const [elapsed, length] = [Date.parse(at) - Date.parse(start), Date.parse(end) - Date.parse(start)];
  return whole.minus(roundToCurrency(whole.times(elapsed).dividedBy(length), currency));
}
