import { createCounter, createHistogram, ObservedGauges } from '#libs/kernel/telemetry';
import type { WriteOutcome } from './writer/write-request.js';

const writes = createCounter('eventstore_writes_total', 'Appends and deletions by what became of them', [
  'outcome',
]);
const events = createCounter('eventstore_events_written_total', 'Events that were written to the log');
const commits = createHistogram(
  'eventstore_commit_duration_seconds',
  'Time of one commit to Postgres; each is of many writes',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
);

/** The gauges of a running node. */
export const nodeGauges = new ObservedGauges({
  position: ['eventstore_position', 'Position of the newest event in the log'],
  waiting: ['eventstore_writes_waiting', 'Writes that wait for the commit before them'],
});

/** Counts one write, such as an append or a deletion, by its outcome. */
export function countWrite({ kind }: WriteOutcome): void {
  writes.inc({ outcome: kind });
}

/** Counts the events that one commit has written, and the seconds that the commit took. */
export function countCommit(written: number, seconds: number): void {
  events.inc(written);
  commits.observe(seconds);
}
