import type Stripe from 'stripe';
import { InvalidRequest } from '#libs/kernel/core';

/** The form of the ids of Stripe, and of the ids that Countinghouse writes into the metadata of objects at Stripe. */
const ID = /^[\w.-]{1,255}$/;
/** The types of events whose object is read from Stripe by its id. */
const USED_TYPES = /^(payment_intent|checkout\.session|setup_intent|charge|refund)\./;

/**
 * Reads the event of a webhook whose signature was checked. Throws InvalidRequest (`malformed_stripe_event`) with the field that is wrong.
 * Only the fields that Countinghouse uses are checked.
 */
export function readStripeEvent(body: string): Stripe.Event {
  const event = objectAt(parsed(body), 'the body');
  requireId(event['id'], 'id');
  const { type } = event;
  if (typeof type !== 'string') throw malformed('type');
  if (USED_TYPES.test(type))
    requireUsedFields(objectAt(objectAt(event['data'], 'data')['object'], 'data.object'));
  return event as unknown as Stripe.Event;
}

function requireUsedFields(object: Readonly<Record<string, unknown>>): void {
  requireId(object['id'], 'data.object.id');
  for (const name of ['payment_intent', 'customer']) {
    const reference = object[name];
    if (reference === undefined || reference === null) continue;
    const id = typeof reference === 'string' ? reference : objectAt(reference, `data.object.${name}`)['id'];
    requireId(id, `data.object.${name}`);
  }
  const metadata = object['metadata'] ?? undefined;
  const setup = metadata === undefined ? undefined : objectAt(metadata, 'data.object.metadata')['setup'];
  if (setup !== undefined) requireId(setup, 'data.object.metadata.setup');
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw malformed('the body');
  }
}

function objectAt(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(field);
  return value as Readonly<Record<string, unknown>>;
}

function requireId(value: unknown, field: string): void {
  if (typeof value !== 'string' || !ID.test(value)) throw malformed(field);
}

function malformed(field: string): InvalidRequest {
  return new InvalidRequest(
    'malformed_stripe_event',
    `The body is signed, but it is no event of Stripe: ${field} is missing or has another form`,
  );
}
