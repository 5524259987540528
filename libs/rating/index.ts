/*
 * The arithmetic of billing: pure functions over decimals and instants, by topic.
 *
 * pricing/        what a quantity costs: the pricing models
 * charges         the target: what a subscription owes, for which time
 * reconcile       the target less what was billed
 * evaluate        a price on a quantity, without a subscription
 * give-backs      of which lines of earlier invoices a line gives something back
 * late-usage      the difference that events make which came after their period had been billed
 * progressive     what of a period's usage was invoiced before it was over
 * plan-commitments  what is missing to the least amount that a plan commits to
 * invoice         the one function that makes an invoice of charges, coupons and taxes
 * coupons, taxes, tax-lines, commitments, applied-credit, credit-notes, credits/   the rules that invoices are made and paid by
 * periods, alignment, proration, trials, retry-schedule, dates-timezone               the calendar
 */
export * from './alignment.js';
export * from './applied-credit.js';
export { apportion, roundTogether } from './apportion.js';
export * from './cadence.js';
export { chargedQuantity } from './charged-quantity.js';
export * from './charges.js';
export {
  groupName,
  type RemainingFee,
  type InvoicedBefore,
  type MeasuredCharge,
  type MeasuredUsage,
  type UsageGroup,
} from './charge-lines.js';
export * from './commitments.js';
export * from './coupons.js';
export * from './credit-notes.js';
export * from './credits/index.js';
export { datesTimezone } from './dates-timezone.js';
export * from './evaluate.js';
export type { SourceLine } from './give-backs.js';
export * from './invoice.js';
export * from './invoice-line.js';
export * from './items.js';
export * from './late-usage.js';
export { dimensionsText, readDescription, type LineNote } from './line-description.js';
export * from './net-amounts.js';
export * from './note-amounts.js';
export * from './periods.js';
export * from './reconcile.js';
export {
  countedCharges,
  countedOnce,
  countsTowards,
  type PlanCommitment,
  type CommitmentReading,
  type LateCommitment,
  type MeasuredCommitment,
  type RecountedCommitment,
} from './plan-commitments.js';
export * from './pricing/index.js';
export { usageToInvoice } from './progressive.js';
export * from './proration.js';
export * from './retry-schedule.js';
export { taxLines } from './tax-lines.js';
export * from './taxes.js';
export * from './trials.js';
