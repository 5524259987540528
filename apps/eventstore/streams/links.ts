import type { StreamHeadReader } from '../log/stream-head-reader.js';
import type { LogReader } from '../log/log-reader.js';
import { SystemEventType } from '../wire/names.js';
import type { ResolvedEvent } from '../wire/read-responses.js';
import type { LogEvent } from './events.js';
import { visibleRange, type VisibleRange } from './retention.js';
import { ABSENT_STREAM, stateOf } from './stream-head.js';
import { parseStreamName, streamNameProblem } from './stream-name.js';

/** The services that are needed to follow links. */
export interface LinkServices {
  readonly reader: LogReader;
  readonly heads: StreamHeadReader;
  readonly nowMillis: () => number;
}

interface LinkTarget {
  readonly stream: string;
  readonly revision: string;
}

/**
 * Follows the links among the given events to their target events, all in one query. A link has no target if a read of the target's stream
 * would not show the event. A read does not show the event if the stream is deleted, or if the event is beyond `$tb`, `$maxCount` or
 * `$maxAge`. EventStoreDB resolves a link by `IndexReader.ReadEvent`, which applies these limits.
 */
export async function resolveLinks(
  events: readonly LogEvent[],
  streams: LinkServices,
): Promise<ResolvedEvent[]> {
  const targets = events.map((event) => (event.type === SystemEventType.link ? parseLink(event) : undefined));
  const wanted = targets.filter(
    (target) => target !== undefined && streamNameProblem(target.stream) === undefined,
  ) as LinkTarget[];
  const visible = wanted.length === 0 ? new Map<string, LogEvent>() : await findVisible(wanted, streams);
  return events.map((event, index) => {
    const target = targets[index];
    return target ? { event: visible.get(placeOf(target)), link: event } : { event };
  });
}

async function findVisible(
  targets: readonly LinkTarget[],
  streams: LinkServices,
): Promise<Map<string, LogEvent>> {
  const names = [...new Set(targets.map(({ stream }) => stream))];
  const [found, ranges] = await Promise.all([
    streams.reader.readAtRevisions(
      targets.map(({ stream }) => stream),
      targets.map(({ revision }) => revision),
    ),
    Promise.all(names.map(async (name) => [name, await visibleIn(name, streams)] as const)),
  ]);
  const rangeOf = new Map(ranges);
  const visible = found.filter((event) => isWithin(rangeOf.get(event.stream), event));
  return new Map(visible.map((event) => [placeOf(event), event]));
}

async function visibleIn(
  name: string,
  { heads, nowMillis }: LinkServices,
): Promise<VisibleRange | undefined> {
  const address = parseStreamName(name);
  const state = stateOf((await heads.readStreamHead(address.nameWithoutPrefix)) ?? ABSENT_STREAM, address);
  return state.tombstoned ? undefined : visibleRange(state.revision, state.metadata, nowMillis() * 1_000);
}

function isWithin(range: VisibleRange | undefined, event: LogEvent): boolean {
  if (!range || event.revision < range.firstRevision) return false;
  return range.createdFromMicros === undefined || event.createdMicros >= range.createdFromMicros;
}

function placeOf({
  stream,
  revision,
}: {
  readonly stream: string;
  readonly revision: string | number;
}): string {
  return `${revision}@${stream}`;
}

/**
 * Parses the payload of a link, `<revision>@<stream>`. Returns undefined for a payload of any other form. The event is then sent as an
 * ordinary event.
 */
function parseLink(link: LogEvent): LinkTarget | undefined {
  const [, revision, stream] = /^(\d{1,18})@(.+)$/s.exec(Buffer.from(link.data).toString('utf8')) ?? [];
  return revision === undefined || stream === undefined
    ? undefined
    : { revision: BigInt(revision).toString(), stream };
}
