import {
  CONTROL_CHARACTER,
  SINGLE_LINE_TEXT,
  SINGLE_LINE_TEXT_EXPECTED,
  parsePreciseInstant,
} from '#libs/kernel/core';
import { usageBounds } from '../usage-bounds.js';
import type { Properties } from '../meters/contribution.js';
import { isStorablePropertyText, readProperties } from './properties.js';
import type { EventRefusal } from './rejection.js';

/** A usage event that has the required form. UsageIngest checks that the customer exists and that the timestamp is acceptable. */
export interface UsageEvent {
  readonly customerId: string;
  readonly eventName: string;
  /** The timestamp in UTC with microseconds. If undefined, the event gets the time of ingestion. */
  readonly timestamp: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** An object as JSON text. */
  readonly properties: string;
  /** The properties as parsed values. */
  readonly values: Properties;
}

const FIELDS = new Set(['customerId', 'eventName', 'timestamp', 'idempotencyKey', 'properties']);
const NO_PROPERTIES: Properties = {};
const CUSTOMER_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/**
 * Reads one usage event of a request body. The checks are written by hand, because they run for every event. The checks throw no errors,
 * because one wrong event must not stop the others.
 */
export function readUsageEvent(raw: unknown): UsageEvent | EventRefusal {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return { code: 'not_an_object', reason: 'an event must be an object with customerId and eventName' };
  for (const key in raw)
    if (!FIELDS.has(key))
      return {
        code: 'unknown_field',
        field: key,
        reason: `${key}: an event has only ${[...FIELDS].join(', ')}; ${placeOfField(key)}`,
      };
  const { customerId, eventName, timestamp, idempotencyKey, properties } = raw as Record<string, unknown>;

  if (customerId === undefined || customerId === null) return missing('customerId');
  if (typeof customerId !== 'string' || !CUSTOMER_ID.test(customerId))
    return invalid('customerId', 'must be 1 to 128 letters, digits or _ . : -');

  if (eventName === undefined || eventName === null) return missing('eventName');
  if (!isLabel(eventName, usageBounds.eventNameLength))
    return invalid('eventName', labelExpected(usageBounds.eventNameLength));
  // The rule is the same as for the event name of a metric, because no metric could count any other name.
  if (!SINGLE_LINE_TEXT.test(eventName)) return invalid('eventName', SINGLE_LINE_TEXT_EXPECTED);

  if (!isAbsent(idempotencyKey) && !isLabel(idempotencyKey, usageBounds.idempotencyKeyLength))
    return invalid('idempotencyKey', labelExpected(usageBounds.idempotencyKeyLength));

  let time: string | undefined;
  if (!isAbsent(timestamp)) {
    time = typeof timestamp === 'string' ? parsePreciseInstant(timestamp) : undefined;
    if (time === undefined)
      return invalid(
        'timestamp',
        'must be an ISO 8601 timestamp with a time zone, such as 2026-01-31T00:00:00Z',
      );
  }

  const read = readProperties(properties);
  if (!('json' in read)) return read;
  return {
    customerId,
    eventName,
    timestamp: time,
    idempotencyKey: isAbsent(idempotencyKey) ? undefined : idempotencyKey,
    properties: read.json,
    values: isAbsent(properties) ? NO_PROPERTIES : (properties as Properties),
  };
}

/** Says where a field belongs that an event does not have: under the right spelling of a field's name, or in the properties. */
function placeOfField(name: string): string {
  const letters = (text: string): string => text.replaceAll(/[^A-Za-z]/g, '').toLowerCase();
  const field = [...FIELDS].find((one) => letters(one) === letters(name));
  return field === undefined
    ? 'if it is a value of the event, send it in properties'
    : `the field is named ${field}`;
}

function isLabel(value: unknown, length: number): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= length &&
    !CONTROL_CHARACTER.test(value) &&
    isStorablePropertyText(value)
  );
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

const labelExpected = (length: number): string =>
  `must be text of 1 to ${length} characters without control characters`;

function missing(field: string): EventRefusal {
  return { code: 'missing_field', field, reason: `${field} is required` };
}

function invalid(field: string, expected: string): EventRefusal {
  return { code: 'invalid_field', field, reason: `${field} ${expected}` };
}
