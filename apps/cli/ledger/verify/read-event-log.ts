import { START, type AllStreamResolvedEvent, type EventStoreDBClient } from '@eventstore/db-client';
import type { EventCodec } from '#libs/kernel/event-store';
import type { Position, RecordedEvent } from '#libs/kernel/domain';

const PAGE = 1_000;

/**
 * Reads the event log from its beginning to `head`, in pages. The next page is already requested while the current page is processed. The
 * log is read and not subscribed to, because the embedded event store sends events to subscribers from memory. Only a read returns the
 * events that are on disk.
 */
export async function* readEventLog(
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
    // If the loop ends early, nobody awaits this page, so its rejection must be handled here.
    coming.catch(() => undefined);
    const ours = page.filter(
      ({ event }) => event && !event.streamId.startsWith('$') && event.position.commit <= head,
    );
    yield codec.decodeLog(ours);
  }
}

/** Reads the next page after a position. A forward read also returns the event at the position itself, which is skipped. */
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
