import { first_boundary, period_at, periods, retries, trial } from './calendar.ts';
import { credit_note, note_limit, refund } from './credit-notes.ts';
import { auto_topup, credit_policy, credits, reset, reset_many } from './credits.ts';
import { requireKnown, type Kind } from './fields.ts';
import { coupon_cycles, coupons, invoice, invoice_flow, round, void_rebill } from './invoices.ts';
import { aggregate, price } from './prices.ts';
import { commitment, prorate, prorate_split, prorate_two, segments, stub, unused } from './proration.ts';

/** A worked case: what is given, by `kind`, and what must come of it. */
export interface GoldenCase {
  readonly id: string;
  readonly title?: string;
  readonly given: { readonly kind: string };
  readonly expect: Readonly<Record<string, unknown>>;
}

/** By kind: what the project's own functions make of what is given. Each may answer more than a case asks for. */
const kinds = {
  price,
  aggregate,
  periods,
  period_at,
  first_boundary,
  trial,
  retries,
  stub,
  prorate,
  prorate_two,
  prorate_split,
  segments,
  commitment,
  unused,
  round,
  invoice,
  invoice_flow,
  coupons,
  coupon_cycles,
  void_rebill,
  credit_note,
  refund,
  note_limit,
  credits,
  credit_policy,
  auto_topup,
  reset,
  reset_many,
} satisfies Record<Kind, unknown>;

/** What the project makes of a case. Throws for a kind or a field that nothing reads, and for what it refuses. */
export function evaluate(golden: GoldenCase): Readonly<Record<string, unknown>> {
  const evaluateKind = kinds[requireKnown(golden)] as (given: unknown) => Record<string, unknown>;
  return evaluateKind(golden.given);
}
