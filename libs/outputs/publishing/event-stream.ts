import { nanos } from '@nats-io/transport-node';
import type { NewStream } from '#libs/kernel/nats';

/** The name of the relay that publishes public events. */
export const RELAY = 'jetstream';

const HOUR_MILLIS = 3_600_000;

/**
 * The JetStream stream that stores public events for their consumers. The event store stays the source of truth. Subjects of public events
 * have four or more parts, and subjects of usage have three, so they never overlap.
 */
export const EVENT_STREAM: NewStream = {
  name: 'COUNTINGHOUSE_EVENTS',
  description: 'Public events of Countinghouse: countinghouse.<workspace>.<event>',
  subjects: ['countinghouse.*.*.>'],
  max_age: nanos(30 * 24 * HOUR_MILLIS),
  // The time within which JetStream recognizes a repeated message. The relay repeats messages whose outcome it does not know, and does so
  // much sooner.
  duplicate_window: nanos(HOUR_MILLIS),
};
