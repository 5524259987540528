import type { first_boundary, period_at, periods, retries, trial } from './calendar.ts';
import type { credit_note, note_limit, refund } from './credit-notes.ts';
import type { auto_topup, credit_policy, credits, reset, reset_many } from './credits.ts';
import type { coupon_cycles, coupons, invoice, invoice_flow, round, void_rebill } from './invoices.ts';
import type { aggregate, price } from './prices.ts';
import type { commitment, prorate, prorate_split, prorate_two, segments, stub, unused } from './proration.ts';

/**
 * The fields of a type by name: `true` for a value, the fields of an object, and for a list those of its elements. An object with
 * any names, such as an event's properties, is a value.
 */
type FieldsOf<T> = T extends readonly (infer Element)[]
  ? FieldsOf<Element>
  : T extends object
    ? string extends keyof T
      ? true
      : { readonly [Field in keyof T]-?: FieldsOf<NonNullable<T[Field]>> }
    : true;

/** What a kind's function reads. The compiler compares it with the function. */
type Read<Kind extends (given: never) => unknown> = FieldsOf<Parameters<Kind>[0]>;

/** The same for all kinds alike. */
interface Fields {
  readonly [field: string]: true | Fields;
}

const period = { start: true, end: true } as const;
const spend = { currency: true, min_spend: true, max_spend: true } as const;
const anyPrice = {
  model: true,
  amount: true,
  unit_price: true,
  tiers: { up_to: true, unit_price: true, flat_fee: true },
  package_size: true,
  package_price: true,
  free_units: true,
  partial_package: true,
  rate_percent: true,
  fixed_fee_per_event: true,
  free_events: true,
  free_amount: true,
  min_per_event: true,
  max_per_event: true,
} as const;
const anchored = { cadence: true, anchor: true, timezone: true } as const;
const side = { full_price: true, at: true, period } as const;
const line = { id: true, amount: true } as const;
const coupon = {
  id: true,
  type: true,
  amount: true,
  percent: true,
  currency: true,
} as const;
const couponCase = {
  currency: true,
  lines: line,
  coupons: { ...coupon, applies_to: true },
  order: true,
} as const;
const rollover = { amount: true, max_rollover: true, min_rollover: true } as const;

/** By kind: every field that its function reads. */
const FIELDS: {
  readonly price: Read<typeof price>;
  readonly aggregate: Read<typeof aggregate>;
  readonly periods: Read<typeof periods>;
  readonly period_at: Read<typeof period_at>;
  readonly first_boundary: Read<typeof first_boundary>;
  readonly trial: Read<typeof trial>;
  readonly retries: Read<typeof retries>;
  readonly stub: Read<typeof stub>;
  readonly prorate: Read<typeof prorate>;
  readonly prorate_two: Read<typeof prorate_two>;
  readonly prorate_split: Read<typeof prorate_split>;
  readonly segments: Read<typeof segments>;
  readonly commitment: Read<typeof commitment>;
  readonly unused: Read<typeof unused>;
  readonly round: Read<typeof round>;
  readonly invoice: Read<typeof invoice>;
  readonly invoice_flow: Read<typeof invoice_flow>;
  readonly coupons: Read<typeof coupons>;
  readonly coupon_cycles: Read<typeof coupon_cycles>;
  readonly void_rebill: Read<typeof void_rebill>;
  readonly credit_note: Read<typeof credit_note>;
  readonly refund: Read<typeof refund>;
  readonly note_limit: Read<typeof note_limit>;
  readonly credits: Read<typeof credits>;
  readonly credit_policy: Read<typeof credit_policy>;
  readonly auto_topup: Read<typeof auto_topup>;
  readonly reset: Read<typeof reset>;
  readonly reset_many: Read<typeof reset_many>;
} = {
  price: { ...spend, price: anyPrice, quantity: true, event_amounts: true, timing: true },
  aggregate: {
    ...spend,
    metric: {
      aggregation: { type: true, property: true, groupBy: true },
      filter: { property: true, equals: true, in: true },
      groupBy: true,
    },
    price: anyPrice,
    period,
    events: { timestamp: true, properties: true, idempotencyKey: true },
  },
  periods: { ...anchored, count: true },
  period_at: { ...anchored, at: true },
  first_boundary: { cadence: true, start: true, timezone: true, alignment: true, anchor_day: true },
  trial: {
    policy: true,
    currency: true,
    full_price: true,
    start: true,
    trial_days: true,
    timezone: true,
    period,
  },
  retries: { first_failure_at: true, interval_days: true, succeeds_on_retry: true },
  stub: { currency: true, full_price: true, service: period, period, basis: true, timezone: true },
  prorate: {
    currency: true,
    period,
    changes: {
      item: true,
      action: true,
      unit_price: true,
      quantity: true,
      at: true,
      billed: true,
      already_credited: true,
    },
  },
  prorate_two: { currency: true, remove: side, add: side },
  prorate_split: { currency: true, old_price: true, new_price: true, at: true, period },
  segments: { ...anchored, currency: true, start: true, end: true, full_price: true },
  commitment: {
    currency: true,
    minimum: true,
    fees: true,
    coupon_discount: true,
    days: true,
    of_days: true,
    service: period,
    period,
  },
  unused: { currency: true, full_price: true, period, service_end: true, already_credited: true },
  round: { currency: true, amounts: true },
  invoice: { currency: true, lines: { amount: true, quantity: true, unit_price: true } },
  invoice_flow: { ...couponCase, credits: true },
  coupons: couponCase,
  coupon_cycles: {
    currency: true,
    price: true,
    cycles: true,
    coupons: { ...coupon, duration: true, cycles: true },
  },
  void_rebill: { currency: true, total: true, credits: true },
  credit_note: {
    currency: true,
    lines: line,
    coupon: { amount: true, applies_to: true },
    credit: { line: true, amount: true },
  },
  refund: { currency: true, total: true, credits_used: true, paid: true, credit_total: true },
  note_limit: { currency: true, mode: true, total: true, paid: true, already: true, requested: true },
  credits: {
    grants: {
      id: true,
      amount: true,
      priority: true,
      effectiveAt: true,
      expiresAt: true,
      source: true,
      createdAt: true,
    },
    debits: { at: true, amount: true, key: true },
    voids: { id: true, at: true, amount: true },
    as_of: true,
  },
  credit_policy: { balance: true, debit: true, overage: true, repeat: true },
  auto_topup: { threshold: true, credits: true, balances: true },
  reset: { grant: rollover, used: true, preserve_overage: true },
  reset_many: { grants: { ...rollover, id: true, used: true }, used: true },
};

export type Kind = keyof typeof FIELDS;

/** What describes a case, and does not decide what comes of it. */
const DESCRIPTIVE: Fields = {
  title: true,
  source: true,
  area: true,
  evidence: true,
  rule: true,
  conflict: true,
};

/**
 * Throws for a kind that there is nothing for, and for a field that nothing reads: the case would pass whatever the field said.
 * The message names the case and the field.
 */
export function requireKnown(golden: {
  readonly id: string;
  readonly given: { readonly kind: string };
}): Kind {
  const { id, given } = golden;
  if (!Object.hasOwn(FIELDS, given.kind))
    throw new Error(`${id}: there is no function for the kind "${given.kind}"`);
  const kind = given.kind as Kind;
  const read: Fields = FIELDS[kind];
  const known: Fields = { ...DESCRIPTIVE, id: true, given: { ...read, kind: true }, expect: true };
  const unknown = unknownFields(golden, known);
  if (unknown.length > 0) throw new Error(`${id}: "${kind}" does not read ${unknown.join(', ')}`);
  return kind;
}

function unknownFields(value: unknown, known: true | Fields): string[] {
  if (known === true || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return [...new Set(value.flatMap((element) => unknownFields(element, known)))];
  return Object.entries(value).flatMap(([name, of]) =>
    Object.hasOwn(known, name) ? unknownFields(of, known[name]!).map((rest) => `${name}.${rest}`) : [name],
  );
}
