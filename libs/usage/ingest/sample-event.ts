import { parseJson } from '#libs/kernel/core';
import type { SampleEvent } from '../meters/sample.js';
import type { EventRefusal } from './rejection.js';
import { readUsageEvent } from './usage-event.js';

/**
 * Reads a sample event for a metric by the rules of ingestion. The sample event does not need a customer or a name. A sample event without
 * a timestamp gets the time `now`.
 */
export function readSampleEvent(
  raw: unknown,
  now: string,
): { event: SampleEvent; eventName: string | undefined } | EventRefusal {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return { code: 'not_an_object', reason: 'an event must be an object such as {"properties": {…}}' };
  const read = readUsageEvent({ customerId: 'sample', eventName: 'sample', ...raw });
  if ('code' in read) return read;
  const { timestamp = now, idempotencyKey, properties } = read;
  const event = {
    timestamp,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    properties: parseJson(properties) as Record<string, unknown>,
  };
  return { event, eventName: Object.hasOwn(raw, 'eventName') ? read.eventName : undefined };
}
