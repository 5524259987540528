import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';

/** The configuration of a stream that is created when no existing stream captures its first subject. */
export type NewStream = Pick<StreamConfig, 'name' | 'subjects'> & Partial<StreamConfig>;

/** JetStream's error code for a stream that already exists with another configuration (`server/errors.json`). */
const NAME_IN_USE = 10_058;

/** Returns the stream manager of the connection. */
export function streamManagerOf(js: JetStreamClient): Promise<JetStreamManager> {
  return js.jetstreamManager(false);
}

/**
 * Returns the name of the stream that captures the first subject of `stream`. If no stream captures the subject, the function creates
 * `stream`. A stream that an operator has created is used unchanged, with any name, limits and replicas.
 */
export async function ensureStream(manager: JetStreamManager, stream: NewStream): Promise<string> {
  const found = await existingStreamName(manager, stream);
  if (found !== undefined) return found;
  try {
    await manager.streams.add(stream);
  } catch (error) {
    // Another process has created the stream at the same time.
    if (!(error instanceof JetStreamApiError && error.code === NAME_IN_USE)) throw error;
  }
  return stream.name;
}

/** Returns the name of the stream that captures the first subject of `stream`. Undefined if none does. */
export async function existingStreamName(
  manager: JetStreamManager,
  { subjects }: NewStream,
): Promise<string | undefined> {
  const [found] = await streamNames(manager, subjects[0]!);
  return found;
}

/** Returns the names of the streams that capture the subject, or a part of it. */
export async function streamNames(manager: JetStreamManager, subject: string): Promise<string[]> {
  const names: string[] = [];
  for await (const name of manager.streams.names(subject)) names.push(name);
  return names;
}
