import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreDBClient, NotLeaderError, type StreamingRead } from '@eventstore/db-client';

/** How often a read is sent again because another node was the leader, and the pause before that. */
const ATTEMPTS = 5;
const PAUSE_MILLIS = 20;

/**
 * Makes a client whose reads are answered by the leader of a cluster, whatever the address says. A follower lacks the newest events. A
 * decision on its answer would conclude from an absent event that there is nothing to do.
 *
 * A client connects to any node of a single address, and to the node that `nodePreference` asks for of a cluster's address. So both are
 * set here: the preference, and `requires-leader` on each read. A follower refuses such a read and names the leader, to which the client
 * then connects. Appends need no setting, because a follower passes them on to the leader.
 *
 * @param url the URL of the event store, as in `EVENTSTORE_URL`
 */
export function connectToLeader(url: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(preferringLeader(url));
  const readStream = client.readStream.bind(client);
  const readAll = client.readAll.bind(client);
  const subscribeToAll = client.subscribeToAll.bind(client);
  client.readStream = (stream, options, ...rest) =>
    readStream(stream, { ...options, requiresLeader: true }, ...rest);
  client.readAll = (options, ...rest) => readAll({ ...options, requiresLeader: true }, ...rest);
  client.subscribeToAll = (options, ...rest) => subscribeToAll({ ...options, requiresLeader: true }, ...rest);
  return client;
}

/** The connection string with `nodePreference=leader` in place of another preference. */
export function preferringLeader(url: string): string {
  const [address = '', query = ''] = url.split('?', 2);
  const others = query.split('&').filter((part) => part !== '' && !/^nodePreference=/i.test(part));
  // A connection string has a slash between its hosts and its parameters, or none at all.
  return `${address}?${[...others, 'nodePreference=leader'].join('&')}`;
}

/**
 * Returns all events of a read. If the node that was asked is not the leader, the client connects to the leader that this node names, and
 * the read is sent again. Throws the errors of the client.
 */
export async function readEvents<Event>(read: () => StreamingRead<Event>): Promise<Event[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const events: Event[] = [];
      for await (const event of read()) events.push(event);
      return events;
    } catch (error) {
      if (!(error instanceof NotLeaderError) || attempt === ATTEMPTS) throw error;
      await delay(PAUSE_MILLIS);
    }
  }
}
