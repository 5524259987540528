import type { ConsumerConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { NewStream } from '#libs/kernel/nats';

const DAY_MILLIS = 86_400_000;

/**
 * The JetStream stream of usage that is not ingested yet. A message is removed from the stream when its events are in the usage log or
 * rejected.
 */
export const USAGE_STREAM: NewStream = {
  name: 'COUNTINGHOUSE_USAGE',
  description: 'Usage on its way to Countinghouse: countinghouse.usage.<workspace>',
  subjects: ['countinghouse.usage.*'],
  retention: 'workqueue',
};

/** The JetStream stream of rejected events, which the senders of the events can read. */
export const REJECTED_STREAM: NewStream = {
  name: 'COUNTINGHOUSE_USAGE_REJECTED',
  description: 'Usage that Countinghouse rejected: countinghouse.usage-rejected.<workspace>',
  subjects: ['countinghouse.usage-rejected.*'],
  max_age: nanos(30 * DAY_MILLIS),
};

/** The JetStream consumer that all processes share. */
export const USAGE_CONSUMER: Partial<ConsumerConfig> & { durable_name: string } = {
  durable_name: 'countinghouse',
  ack_policy: 'explicit',
  // This is longer than the storing of a batch takes. A slower process receives the message again, and the events of the message are
  // recognized as repeated.
  ack_wait: nanos(60_000),
  max_deliver: -1,
  // The limit for all processes together. It is enough for a few dozen processes.
  max_ack_pending: 10_000,
};

/** The NATS subject on which the rejections of a workspace's messages are published. */
export function rejectedSubject(workspace: string): string {
  return `countinghouse.usage-rejected.${workspace}`;
}

/** Returns the workspace that a subject of usage contains. */
export function workspaceOf(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}
