import {
  CancelledError,
  DeadlineExceededError,
  NotLeaderError,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { Unavailable } from '#libs/kernel/core';

/**
 * Tells whether the outcome of a call is unknown. The event store was unreachable, did not answer in time, or answered that the outcome is
 * unknown. The event store also answers "unknown" if it could not write an append. While a
 * cluster elects a leader, a node can name a leader that is none any more.
 */
function isUnknownOutcome(error: unknown): boolean {
  return (
    error instanceof UnavailableError ||
    error instanceof DeadlineExceededError ||
    error instanceof TimeoutError ||
    error instanceof CancelledError ||
    error instanceof UnknownError ||
    error instanceof NotLeaderError ||
    isBareUnknownOutcome(error)
  );
}

/** The gRPC status codes that mean an unknown outcome. */
const PASSING: ReadonlySet<unknown> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.CANCELLED,
  status.UNKNOWN,
]);

/**
 * Tells whether `error` is a gRPC error with an unknown outcome that the event store's client did not convert to an error class of its own.
 * The client first asks a server for its features, for example before an append. The client does not convert the errors of its request for
 * the features (`ServerFeatures.createServerFeatures` of @eventstore/db-client 6).
 */
function isBareUnknownOutcome(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'metadata' in error && PASSING.has(error.code);
}

/** Returns an Unavailable error for a temporary failure of the event store, or undefined for a permanent failure. */
export function toEventStoreUnavailable(error: unknown): Unavailable | undefined {
  if (!isUnknownOutcome(error)) return undefined;
  return new Unavailable(
    'event_store_unavailable',
    'The event store does not answer, or cannot write; try again, with the same idempotency key if there is one',
  );
}
