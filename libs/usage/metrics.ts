import { createCounter, ObservedGauges } from '#libs/kernel/telemetry';

/** Counts usage events by outcome: `stored`, `repeated` (the idempotency key was used before) or `rejected`. */
export const usageEvents = createCounter('usage_events_total', 'Usage events taken in', ['outcome']);
/**
 * Counts stored events that no metric counts, or that a metric skips, by reason. An event is counted once for each metric that skips it.
 */
export const unmatchedEvents = createCounter(
  'usage_events_unmatched_total',
  'Usage events stored that no metric counts, or that a metric skips',
  ['reason'],
);
/** Counts stored events that metrics count, and that no price and no credits charge to their customers. */
export const unpricedEvents = createCounter(
  'usage_events_unpriced_total',
  'Usage events stored that metrics count and nothing charges',
);
/** Counts the inserts into the usage log. One insert stores the events of many requests. */
export const usageCommits = createCounter(
  'usage_commits_total',
  'Inserts into the usage log; each is of many requests',
);
/** Counts folds. One fold adds at most 100,000 events to a meter. */
export const meterFolds = createCounter(
  'meter_folds_total',
  'Times that a meter took in events of the usage log',
);

/** How far the meters are behind the usage log. The process that folds meters provides these values. */
export const meterLag = new ObservedGauges({
  meters: ['meters_behind', 'Meters that have events of the usage log to take in'],
  seconds: ['meter_lag_seconds', 'Age of the oldest usage event that a meter has to take in'],
});
/** Counts NATS messages by outcome: `taken` (stored or published as rejected), or `put_back` (to be delivered again). */
export const natsUsageMessages = createCounter('nats_usage_messages_total', 'Messages of usage from NATS', [
  'outcome',
]);
