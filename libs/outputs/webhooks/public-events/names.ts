import { webhookEvents } from '#libs/manifest';

/** All events to which an endpoint can subscribe, in alphabetical order. */
export function publicEventNames(): readonly string[] {
  return webhookEvents()
    .flatMap(({ names }) => names)
    .sort();
}

/** An endpoint whose `events` contain this name is subscribed to every event, including future ones. */
export const ALL_EVENTS = '*';

/** The events to which a new endpoint is subscribed if the request lists no events. */
export const DEFAULT_EVENTS: readonly string[] = ['invoice.paid', 'subscription.created'];

/** The event that is sent to test an endpoint. Nobody can subscribe to it. */
export const TEST_EVENT = 'webhook.test';

/** Tells whether an endpoint with these `events` gets `event`. */
export function subscribesTo(events: readonly string[], event: string): boolean {
  return events.includes(ALL_EVENTS) || events.includes(event);
}

/** Tells whether endpoints can subscribe to events of the given name. */
export function isSubscribable(name: string): boolean {
  return name === ALL_EVENTS || publicEventNames().includes(name);
}
