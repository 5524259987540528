import { START, type AllStreamResolvedEvent, type EventStoreDBClient } from '@eventstore/db-client';
import type { EventCodec } from '#libs/kernel/event-store';
import type { Position, RecordedEvent } from '#libs/kernel/domain';

const PAGE = 1_000;

/**
 * The log from its beginning to `head`, in pages, of which the next is on its way while one is dealt with. It is read, and
 * not subscribed to: the embedded node has its newest events in memory for subscribers, and only a read shows what is
 * on disk.
 */
export async function* readLog(
  client: EventStoreDBClient,
  codec: EventCodec,
  head: Position,
): AsyncGenerator<RecordedEvent[]> {
  let after: Position | undefined;
  let coming = pageAfter(client, after);
  while (after === undefined || after < head) {
    const page = await coming;
    const last = page.at(-1)?.event?.position.commit;
    if (last === undefined) return;
    after = last;
    coming = pageAfter(client, after);
    // When nobody asks for the page that is coming, nobody hears of its failure either.
    coming.catch(() => undefined);
    const ours = page.filter(
      ({ event }) => event && !event.streamId.startsWith('$') && event.position.commit <= head,
    );
    yield codec.decode(ours);
  }
}

/** A forward read begins with the event at its position. */
async function pageAfter(
  client: EventStoreDBClient,
  after: Position | undefined,
): Promise<AllStreamResolvedEvent[]> {
  const fromPosition = after === undefined ? START : { commit: after, prepare: after };
  const page: AllStreamResolvedEvent[] = [];
  for await (const one of client.readAll({ fromPosition, maxCount: PAGE + 1 }))
    if (one.event && (after === undefined || one.event.position.commit > after)) page.push(one);
  return page;
}
