import { InvalidRequest, readBoundedJson } from '#libs/kernel/core';

/** The number of JSON values that a request can have per event, on average. Most events have half as many. */
const VALUES_OF_AN_EVENT = 100;

/**
 * Parses the JSON of a request that may have up to `limit` events. Here, `limit` only determines how large the JSON can be. The limits of
 * a request are far above those of one event, so that one wrong event does not block the others. Throws InvalidRequest and TooLarge in the
 * same cases as {@link readBoundedJson}.
 */
export function readUsageJson(text: string, limit: number): unknown {
  return readBoundedJson(text, {
    depth: 500,
    keys: 10_000,
    elements: Math.max(limit + 1, 10_000),
    characters: Infinity,
    values: VALUES_OF_AN_EVENT * Math.max(limit, 1_000),
  });
}

/**
 * Returns the events of a request body: one event, a list, or `{events: […]}`. Throws InvalidRequest for any other body, and for more than
 * `limit` events.
 */
export function eventsOf(body: unknown, limit: number): unknown[] {
  const events = eventsIn(body);
  if (events.length > limit)
    throw InvalidRequest.field(
      'events',
      `must be at most ${limit} in one request, and were ${events.length}; send the rest in further requests`,
      'too_many_events',
    );
  return events;
}

function eventsIn(body: unknown): unknown[] {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null)
    throw new InvalidRequest(
      'validation_failed',
      'The body must be an event, a list of events, or {"events": [...]}',
    );
  if (!('events' in body)) return [body];
  if (!Array.isArray(body.events)) throw InvalidRequest.field('events', 'must be a list of events');
  const other = Object.keys(body).find((key) => key !== 'events');
  if (other !== undefined) throw InvalidRequest.field(other, 'is not a field of this request');
  return body.events;
}
