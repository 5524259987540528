/** Why an event was not stored. */
export type RejectionCode =
  | 'not_an_object'
  | 'unknown_field'
  | 'missing_field'
  | 'invalid_field'
  | 'customer_not_found'
  | 'timestamp_too_early'
  | 'timestamp_too_late'
  | 'properties_too_deep'
  | 'properties_too_large'
  | 'forbidden_key';

/** What is wrong with one event, in words that say what is expected. */
export interface Refusal {
  readonly code: RejectionCode;
  readonly reason: string;
  /** The field that is wrong; a path if it is inside `properties`. */
  readonly field?: string;
}

/** An event of a request that was not stored: its place in the request, itself, and why. */
export interface RejectedEvent extends Refusal {
  readonly index: number;
  /** As it was sent. */
  readonly event: unknown;
}

export function rejected(index: number, event: unknown, refusal: Refusal): RejectedEvent {
  return { index, event, ...refusal };
}
