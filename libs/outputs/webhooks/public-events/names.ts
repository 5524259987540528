import { webhookEvents } from '#libs/manifest';

/** All events to which an endpoint can subscribe, in alphabetical order. */
export function publicEvents(): readonly string[] {
  return webhookEvents()
    .flatMap(({ names }) => names)
    .sort();
}

/** An endpoint with this name subscribes to every event, including future ones. */
export const ALL_EVENTS = '*';

/** The events that an endpoint gets if its request lists no events. */
export const DEFAULT_EVENTS: readonly string[] = ['invoice.paid', 'subscription.created'];

/** The event that is sent to test an endpoint. Nobody can subscribe to it. */
export const TEST_EVENT = 'webhook.test';

/** Tells whether an endpoint with these `events` gets `event`. */
export function subscribesTo(events: readonly string[], event: string): boolean {
  return events.includes(ALL_EVENTS) || events.includes(event);
}

/** Tells whether endpoints can subscribe to events of the given name. */
export function isSubscribable(name: string): boolean {
  return name === ALL_EVENTS || publicEvents().includes(name);
}
