import { webhookEvents } from '#libs/manifest';

/** Events of the API contract that are not sent yet. */
const TO_COME = ['usage.limit'];

/** All events to which an endpoint can subscribe: those of the API contract, and our further events. They are in alphabetical order. */
export function publicEvents(): readonly string[] {
  return [...webhookEvents().flatMap(({ names }) => names), ...TO_COME].sort();
}

/** Subscribes to every event, including future ones. */
export const ALL_EVENTS = '*';

/** The subscriptions of an endpoint that names none. */
export const DEFAULT_EVENTS: readonly string[] = ['invoice.paid', 'subscription.created'];

/** The event that is sent to test an endpoint. Nobody can subscribe to it. */
export const TEST_EVENT = 'webhook.test';

/** Tells whether an endpoint with these `events` gets `event`. */
export function subscribesTo(events: readonly string[], event: string): boolean {
  return events.includes(ALL_EVENTS) || events.includes(event);
}

/** Tells whether endpoints can subscribe to this name. */
export function isSubscribable(name: string): boolean {
  return name === ALL_EVENTS || publicEvents().includes(name);
}
