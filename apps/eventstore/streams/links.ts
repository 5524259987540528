import type { LogReader } from '../log/log-reader.js';
import { SystemEventType } from '../wire/names.js';
import type { ResolvedEvent } from '../wire/read-responses.js';
import type { RecordedEvent } from './events.js';

/** Follows the links among these events to the events that they lead to, all in one query. */
export async function resolveLinks(
  events: readonly RecordedEvent[],
  reader: LogReader,
): Promise<ResolvedEvent[]> {
  const targets = events.map((event) => (event.type === SystemEventType.link ? parseLink(event) : undefined));
  const wanted = targets.filter((target) => target !== undefined);
  if (wanted.length === 0) return events.map((event) => ({ event }));

  const found = await reader.atRevisions(
    wanted.map(({ stream }) => stream),
    wanted.map(({ revision }) => revision),
  );
  const byPlace = new Map(found.map((event) => [`${event.revision}@${event.stream}`, event]));
  return events.map((event, index) => {
    const target = targets[index];
    return target ? { event: byPlace.get(`${target.revision}@${target.stream}`), link: event } : { event };
  });
}

/** A link's payload is `<revision>@<stream>`. One that is not is passed on as an ordinary event. */
function parseLink(link: RecordedEvent): { stream: string; revision: string } | undefined {
  const [, revision, stream] = /^(\d{1,18})@(.+)$/s.exec(Buffer.from(link.data).toString('utf8')) ?? [];
  return revision === undefined || stream === undefined
    ? undefined
    : { revision: BigInt(revision).toString(), stream };
}
