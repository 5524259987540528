/** Every event that an endpoint can subscribe to: those of the API contract, and further ones of ours. */
export const PUBLIC_EVENTS = [
  'invoice.created',
  'invoice.paid',
  'invoice.voided',
  'invoice.credit_note',
  'invoice.credit_note_voided',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'invoice.payment_recovered',
  'invoice.marked_uncollectible',
  'invoice.upcoming',
  'invoice.due_soon',
  'invoice.overdue',
  'subscription.created',
  'subscription.cancel',
  'subscription.plan_change',
  'subscription.paused',
  'subscription.resumed',
  'subscription.past_due',
  'subscription.trial_ending',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'price_migration.scheduled',
  'price_migration.started',
  'price_migration.finished',
  'price_migration.canceled',
  'credit.grant',
  'usage.limit',
  'usage.unmatched',
] as const;

export type PublicEvent = (typeof PUBLIC_EVENTS)[number];

/** Subscribes to every event, those to come included. */
export const ALL_EVENTS = '*';

/** What an endpoint hears of that does not say. */
export const DEFAULT_EVENTS: readonly PublicEvent[] = ['invoice.paid', 'subscription.created'];

/** What is sent when an endpoint is tested; nobody subscribes to it. */
export const TEST_EVENT = 'webhook.test';

/** The names that a delivery can have. */
export type SentEvent = PublicEvent | typeof TEST_EVENT;

/** Whether an endpoint that wants `events` is told of `event`. */
export function subscribesTo(events: readonly string[], event: SentEvent): boolean {
  return events.includes(ALL_EVENTS) || events.includes(event);
}

/** Whether the name can be subscribed to. */
export function isSubscribable(name: string): boolean {
  return name === ALL_EVENTS || (PUBLIC_EVENTS as readonly string[]).includes(name);
}
