import { webhookEvents } from '#libs/manifest';

/** Of the API contract, and sent by nothing yet. */
const TO_COME = ['credit.grant', 'usage.limit'];

/** Every event that an endpoint can subscribe to: those of the API contract, and further ones of ours. By name, in alphabetical order. */
export function publicEvents(): readonly string[] {
  return [...webhookEvents().flatMap(({ names }) => names), ...TO_COME].sort();
}

/** Subscribes to every event, those to come included. */
export const ALL_EVENTS = '*';

/** What an endpoint hears of that does not say. */
export const DEFAULT_EVENTS: readonly string[] = ['invoice.paid', 'subscription.created'];

/** What is sent when an endpoint is tested; nobody subscribes to it. */
export const TEST_EVENT = 'webhook.test';

/** Whether an endpoint that wants `events` is told of `event`. */
export function subscribesTo(events: readonly string[], event: string): boolean {
  return events.includes(ALL_EVENTS) || events.includes(event);
}

/** Whether the name can be subscribed to. */
export function isSubscribable(name: string): boolean {
  return name === ALL_EVENTS || publicEvents().includes(name);
}
