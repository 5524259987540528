import type { ConsumerConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { NewStream } from '#libs/kernel/nats';

const DAY_MILLIS = 86_400_000;

/** Usage on its way to us: a message leaves the stream when it is in the usage log, or rejected. */
export const USAGE_STREAM: NewStream = {
  name: 'COUNTINGHOUSE_USAGE',
  description: 'Usage on its way to Countinghouse: countinghouse.usage.<workspace>',
  subjects: ['countinghouse.usage.*'],
  retention: 'workqueue',
};

/** The stream of rejected events, for their senders to read. */
export const REJECTED_STREAM: NewStream = {
  name: 'COUNTINGHOUSE_USAGE_REJECTED',
  description: 'Usage that Countinghouse rejected: countinghouse.usage-rejected.<workspace>',
  subjects: ['countinghouse.usage-rejected.*'],
  max_age: nanos(30 * DAY_MILLIS),
};

/** The shared consumer that all processes take messages from. */
export const USAGE_CONSUMER: Partial<ConsumerConfig> & { durable_name: string } = {
  durable_name: 'countinghouse',
  ack_policy: 'explicit',
  // Longer than a batch takes to be stored. Whoever is slower sees the message again, and knows its events.
  ack_wait: nanos(60_000),
  max_deliver: -1,
  // The limit for all processes together: enough for a few dozen of them.
  max_ack_pending: 10_000,
};

/** The subject for the rejections of a message. */
export function rejectedSubject(workspace: string): string {
  return `countinghouse.usage-rejected.${workspace}`;
}

/** The workspace that a usage subject names. */
export function workspaceOf(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}
