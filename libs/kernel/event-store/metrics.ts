import { createCounter, createHistogram } from '#libs/kernel/telemetry';

/**
 * Appends by outcome. After an append with the outcome `conflict`, the command is decided again. After an append with the outcome
 * `unknown`, the events are sent again with the same ids.
 */
export const appends = createCounter('appends_total', 'Appends to the event store', ['outcome']);
export const appendedEvents = createCounter(
  'appended_events_total',
  'Events that were appended to the event store',
);
export const appendDurations = createHistogram(
  'append_duration_seconds',
  'Time that the event store took to answer an append',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
);

/** Events that this process has read from the log, for its projections or its process managers. */
export const eventsReadFromLog = createCounter(
  'log_events_read_total',
  'Events of the log that this process has taken in',
);
