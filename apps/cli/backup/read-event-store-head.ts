import { connectToLeader, EventCodec, EventFeed, noPersonalDataKeys } from '#libs/kernel/event-store';
import { vocabulary } from '#libs/manifest';
import { CliError } from '../cli-error.js';

/**
 * Returns the position of the last event in an event store, or undefined if the event store is empty. Throws a {@link CliError} if the
 * event store cannot be reached.
 */
export async function readEventStoreHead(eventStoreUrl: string): Promise<bigint | undefined> {
  const client = connectToLeader(eventStoreUrl);
  try {
    return await new EventFeed(client, new EventCodec(noPersonalDataKeys, vocabulary())).readHead();
  } catch (error) {
    throw new CliError(
      `The event store cannot be reached (${(error as Error).message}); check EVENTSTORE_URL`,
    );
  } finally {
    await client.dispose();
  }
}
