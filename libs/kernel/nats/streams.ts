import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';

/** A stream as it is made when none captures its subject. */
export type NewStream = Pick<StreamConfig, 'name' | 'subjects'> & Partial<StreamConfig>;

/** JetStream's error for a stream that is there already, with another configuration (`server/errors.json`). */
const NAME_IN_USE = 10_058;

/** What manages streams, over the same connection. */
export function managerOf(js: JetStreamClient): Promise<JetStreamManager> {
  return js.jetstreamManager(false);
}

/**
 * The name of the stream that captures the stream's first subject; made if there is none. One that an operator has made
 * before, under whatever name and with whatever limits and replicas, is used as it is.
 */
export async function streamFor(manager: JetStreamManager, stream: NewStream): Promise<string> {
  const [found] = await manager.streams.names(stream.subjects[0]).next();
  if (found !== undefined) return found;
  try {
    await manager.streams.add(stream);
  } catch (error) {
    // Another process was quicker.
    if (!(error instanceof JetStreamApiError && error.code === NAME_IN_USE)) throw error;
  }
  return stream.name;
}
