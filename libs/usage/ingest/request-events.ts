import { InvalidRequest, readBoundedJson } from '#libs/kernel/core';

/** A request may have so many values for each event that it may have: twice what most events have. */
const VALUES_OF_AN_EVENT = 100;

/**
 * The JSON of a request of at most `limit` events. Its limits are far above those of one event, so that one wrong event does not keep the
 * others from being stored. InvalidRequest and TooLarge as {@link readBoundedJson} says.
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
 * The events of a request: one, a list, or `{events: […]}`. InvalidRequest for anything else, and for more than
 * `limit`.
 */
export function eventsOf(body: unknown, limit: number): unknown[] {
  const events = listOf(body);
  if (events.length > limit)
    throw InvalidRequest.field(
      'events',
      `must be at most ${limit} in one request, and were ${events.length}; send the rest in further requests`,
      'too_many_events',
    );
  return events;
}

function listOf(body: unknown): unknown[] {
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
