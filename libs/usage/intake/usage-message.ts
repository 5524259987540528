import { AppError, ExactNumber, InvalidRequest } from '#libs/kernel/core';
import { eventsOf, readUsageJson } from '../ingest/request-events.js';

/** A message of usage as JetStream delivers it. */
export interface UsageMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Its place in the stream. */
  readonly seq: number;
  /** When the stream took it, in nanoseconds since the Unix epoch. */
  readonly timestampNanos: bigint;
}

/** A rejected part of a message: the data that was sent, and the reason. */
export interface Rejection {
  readonly code: string;
  readonly reason: string;
  readonly field?: string;
  /** The index of the event in the message; absent if the whole message is rejected. */
  readonly index?: number;
  readonly data: Uint8Array | string;
}

/** The events of a message, as `POST /v1/events` reads them from a body; or why there are none. */
export function readMessage({ data }: UsageMessage, limit: number): unknown[] | Rejection {
  try {
    return eventsOf(readUsageJson(textOf(data), limit), limit);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const field = error.details?.[0]?.field;
    return { code: error.code, reason: error.message, ...(field === undefined ? {} : { field }), data };
  }
}

/**
 * The events, each with a key. JetStream may deliver a message twice, so one without a key of its own gets its message's
 * place: the number in the stream, and the time, since numbers begin anew with a new stream.
 */
export function withKeys(events: readonly unknown[], { seq, timestampNanos }: UsageMessage): unknown[] {
  return events.map((event, index) =>
    isObject(event) && (event['idempotencyKey'] ?? null) === null
      ? { ...event, idempotencyKey: `nats:${seq}:${timestampNanos}:${index}` }
      : event,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

function textOf(data: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    throw new InvalidRequest('malformed_json', 'The message is not UTF-8');
  }
}
