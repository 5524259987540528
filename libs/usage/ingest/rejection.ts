import type { FieldError } from '#libs/kernel/core';

/** The reasons why an event was not stored: for events in requests, in NATS messages and in imported files. */
export const REJECTION_CODES = [
  'not_an_object',
  'unknown_field',
  'missing_field',
  'invalid_field',
  'customer_not_found',
  'timestamp_too_early',
  'timestamp_too_late',
  'properties_too_deep',
  'properties_too_large',
  'forbidden_key',
  'insufficient_credits',
  'usage_limit_reached',
] as const;

export type RejectionCode = (typeof REJECTION_CODES)[number];

/** The error in one event. `reason` says what is expected. */
export interface EventRefusal {
  readonly code: RejectionCode;
  readonly reason: string;
  /** The name of the wrong field, or its path if the field is inside `properties`. */
  readonly field?: string;
}

/**
 * A refused event of a request, with its index in the request. `code`, `error` and `details` are those of an error response. `reason` has
 * the text of `error`, and `field` the field of `details`.
 */
export interface RejectedEvent extends EventRefusal {
  readonly error: string;
  /** The wrong field. Absent if the error is not about a field. */
  readonly details?: FieldError[];
  /** The position of the event in the request, counted from 0. */
  readonly index: number;
  /**
   * The event as the client sent it. If the event has more than 20,000 characters as JSON, `event` has only some of its fields. These are
   * `customerId`, `eventName`, `timestamp` and `idempotencyKey`, if they are texts of at most 255 characters. Such a long event that is no
   * object is shown as null.
   */
  readonly event: unknown;
}

/**
 * The maximum lengths of the event, field and field name that are shown in a refusal. The maximum lengths are slightly above those of a
 * valid event and its field names.
 */
const [MAX_SHOWN, MAX_SHOWN_OF_FIELD, MAX_SHOWN_OF_NAME] = [20_000, 255, 120];

export function toRejectedEvent(index: number, event: unknown, refusal: EventRefusal): RejectedEvent {
  const { field, reason, code } = refusal;
  if (field === undefined) return { index, event: shown(event), code, error: reason, reason };
  const name = cut(field);
  const text = reason.replace(field, () => name);
  return {
    index,
    event: shown(event),
    code,
    error: text,
    reason: text,
    field: name,
    details: [{ field: name, message: text }],
  };
}

function shown(event: unknown): unknown {
  if (JSON.stringify(event).length <= MAX_SHOWN) return event;
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return null;
  const fields = ['customerId', 'eventName', 'timestamp', 'idempotencyKey'] as const;
  const isShort = (value: unknown) => typeof value === 'string' && value.length <= MAX_SHOWN_OF_FIELD;
  const values = event as Record<string, unknown>;
  return Object.fromEntries(fields.flatMap((name) => (isShort(values[name]) ? [[name, values[name]]] : [])));
}

function cut(name: string): string {
  return name.length <= MAX_SHOWN_OF_NAME ? name : `${name.slice(0, MAX_SHOWN_OF_NAME).toWellFormed()}…`;
}
