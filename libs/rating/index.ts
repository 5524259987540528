/*
 * The arithmetic of billing: pure functions over decimals and instants, by topic.
 *
 * pricing/          the pricing models, which compute the cost of a quantity
 * charges           the target: the charges that a subscription owes, each for a time range
 * reconcile         the target less the billed charges
 * evaluate          the price of a quantity, without a subscription
 * give-backs        the amounts of earlier invoices' lines that a line gives back
 * late-usage-lines  the difference by events that came after their period was billed
 * progressive       the deduction of usage that was invoiced before the end of its period
 * plan-commitments  the amount that is missing to a plan's minimum commitment
 * invoice           the one function that computes an invoice from charges, coupons and taxes
 * deduct-coupons, coupon-duration, taxes, tax-lines, commitments,
 *   applied-credit, credit-notes, credits/                                           the rules for discounts, taxes and payments
 * periods, alignment, proration, trials, payment-retry-schedule, timezone-of-dates   the calendar
 */
export * from './alignment.js';
export * from './applied-credit.js';
export { apportion, roundTogether } from './apportion.js';
export * from './cadence.js';
export { chargedQuantity } from './charged-quantity.js';
export * from './charges.js';
export type {
  RemainingFee,
  EarlierUsageCharges,
  MeasuredCharge,
  MeasuredUsage,
  UsageGroup,
} from './charge-lines.js';
export * from './commitments.js';
export * from './coupon-duration.js';
export * from './credit-notes.js';
export * from './credits/index.js';
export * from './deduct-coupons.js';
export { timezoneOfDates } from './timezone-of-dates.js';
export * from './evaluate.js';
export type { GiveBackSourceLine } from './give-backs.js';
export * from './invoice.js';
export * from './invoice-line.js';
export * from './items.js';
export * from './late-usage-lines.js';
export {
  describeLine,
  dimensionsText,
  readLineDescription,
  translatedDescription,
  type LineNote,
} from './line-description.js';
export * from './net-amounts.js';
export * from './credit-note-amounts.js';
export * from './payment-retry-schedule.js';
export * from './periods.js';
export * from './reconcile.js';
export {
  countedChargesWithPrices,
  replaceRepeatedPrices,
  countsTowardsCommitment,
  type PlanCommitment,
  type ComputedCommitment,
  type CommitmentWithLateUsage,
  type MeasuredCommitment,
  type RecountedCommitment,
} from './plan-commitments.js';
export { canLowerPrice, isDiscount, type PriceTerms } from './pricing/lowering.js';
export * from './pricing/index.js';
export { amountOfNewUsage } from './progressive.js';
export * from './proration.js';
export { taxesOnLines } from './tax-lines.js';
export * from './taxes.js';
export * from './trials.js';
