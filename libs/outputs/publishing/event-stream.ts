import { nanos } from '@nats-io/transport-node';
import type { NewStream } from '#libs/kernel/nats';

const HOUR_MILLIS = 3_600_000;

/**
 * Where public events are kept for their consumers; the event store stays the truth. Their subjects have four parts or more,
 * those of usage three, so that the two never meet.
 */
export const EVENT_STREAM: NewStream = {
  name: 'COUNTINGHOUSE_EVENTS',
  description: 'Public events of Countinghouse: countinghouse.<workspace>.<event>',
  subjects: ['countinghouse.*.*.>'],
  max_age: nanos(30 * 24 * HOUR_MILLIS),
  // Far longer than a relay takes to repeat what it does not know the outcome of.
  duplicate_window: nanos(HOUR_MILLIS),
};
