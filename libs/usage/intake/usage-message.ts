import { AppError, InvalidRequest, isObject } from '#libs/kernel/core';
import { eventsOf, readUsageJson } from '../ingest/request-events.js';

/** A message of usage as JetStream delivers it. */
export interface UsageMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** The message's position in the stream. */
  readonly seq: number;
  /** The time at which the stream received the message, in nanoseconds since the Unix epoch. */
  readonly timestampNanos: bigint;
}

/** A rejected part of a message: the sent data and the reason. */
export interface RejectedMessagePart {
  readonly code: string;
  readonly reason: string;
  readonly field?: string;
  /** The index of the rejected event in the message. Absent if the whole message is rejected and not a single event. */
  readonly index?: number;
  readonly data: Uint8Array | string;
}

/**
 * Reads the events of a message in the same way as `POST /v1/events` reads a body. If the message cannot be read, returns the rejection of
 * the message.
 */
export function readMessage({ data }: UsageMessage, limit: number): unknown[] | RejectedMessagePart {
  try {
    return eventsOf(readUsageJson(textOf(data), limit), limit);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const field = error.details?.[0]?.field;
    return { code: error.code, reason: error.message, ...(field === undefined ? {} : { field }), data };
  }
}

/**
 * Returns the events, each with an idempotency key. JetStream can deliver a message twice, so each event without a key gets a key from its
 * message. The key contains the sequence number and the time of the message, because a new stream counts from 1 again.
 */
export function addIdempotencyKeys(
  events: readonly unknown[],
  { seq, timestampNanos }: UsageMessage,
): unknown[] {
  return events.map((event, index) =>
    isObject(event) && (event['idempotencyKey'] ?? null) === null
      ? { ...event, idempotencyKey: `nats:${seq}:${timestampNanos}:${index}` }
      : event,
  );
}

function textOf(data: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    throw new InvalidRequest('malformed_json', 'The message is not UTF-8');
  }
}
