import { counter, ObservedGauges } from '#libs/kernel/telemetry';

/** Usage events by what became of them: `stored`, `repeated` (their key had been used) or `rejected`. */
export const usageEvents = counter('usage_events_total', 'Usage events taken in', ['outcome']);
/** Usage events that were stored and are not counted, by reason: one for each metric that skips an event. */
export const unmatchedEvents = counter(
  'usage_events_unmatched_total',
  'Usage events stored that no metric counts, or that a metric skips',
  ['reason'],
);
export const usageCommits = counter(
  'usage_commits_total',
  'Inserts into the usage log; each is of many requests',
);
/** One fold is of up to 100,000 events of one meter. */
export const meterFolds = counter('meter_folds_total', 'Times that a meter took in events of the usage log');

/** Looked up by the process that folds. */
export const meterLag = new ObservedGauges({
  meters: ['meters_behind', 'Meters that have events of the usage log to take in'],
  seconds: ['meter_lag_seconds', 'Age of the oldest usage event that a meter has to take in'],
});
/** Messages by what became of them: `taken` (in, or among the rejections), or `put_back` to be delivered again. */
export const intakeMessages = counter('nats_usage_messages_total', 'Messages of usage from NATS', [
  'outcome',
]);
