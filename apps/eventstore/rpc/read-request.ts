import type { EventEncoding } from '../wire/read-responses.js';
import type { ParsedStreamName } from '../streams/stream-name.js';
import { parseEventFilter, type EventFilter } from '../subscriptions/event-filter.js';
import { CallError } from '../wire/errors.js';
import { parseStreamIdentifier } from '../wire/identifiers.js';
import { END_POSITION } from '../wire/names.js';
import { ReadReq, type ReadOptions } from '../wire/stubs.js';

/** The place where a read begins. A number is a revision of a stream or a position of `$all`. */
export type ReadFrom = 'start' | 'end' | number;

interface ReadCommon {
  readonly from: ReadFrom;
  readonly resolveLinks: boolean;
  readonly encoding: EventEncoding;
}

/** A read of a stream or of `$all`, or a subscription to a stream or to `$all`. */
export type ReadRequest = ReadCommon &
  (
    | { readonly source: 'stream'; readonly stream: ParsedStreamName }
    | { readonly source: 'all'; readonly filter: EventFilter | undefined }
  ) &
  (
    | { readonly mode: 'read'; readonly backwards: boolean; readonly maxCount: number }
    | { readonly mode: 'subscription' }
  );

/**
 * Parses a request.
 *
 * @throws CallError if the request is invalid
 */
export function parseReadRequest(request: ReadReq): ReadRequest {
  const options = request.getOptions();
  if (!options) throw CallError.invalidArgument('The request has no options.');
  const common = {
    resolveLinks: options.getResolveLinks(),
    encoding: { usesStructuredUuids: options.getUuidOption()?.hasStructured() ?? true },
    ...parseMode(options),
  };
  const streamOptions = options.getStream();
  if (streamOptions) {
    if (options.hasFilter()) throw CallError.invalidArgument('A read of one stream cannot be filtered.');
    return {
      ...common,
      source: 'stream',
      stream: parseStreamIdentifier(streamOptions.getStreamIdentifier()),
      from: streamOptions.hasRevision()
        ? numberOrEnd(streamOptions.getRevision())
        : streamOptions.hasEnd()
          ? 'end'
          : 'start',
    };
  }
  const allOptions = options.getAll();
  if (!allOptions) throw CallError.invalidArgument('The request names neither a stream nor $all.');
  const position = allOptions.getPosition();
  const filter = options.getFilter();
  return {
    ...common,
    source: 'all',
    filter: filter && parseEventFilter(filter),
    from: position
      ? parsePosition(position.getCommitPosition(), position.getPreparePosition())
      : allOptions.hasEnd()
        ? 'end'
        : 'start',
  };
}

function parseMode(
  options: ReadOptions,
): { mode: 'read'; backwards: boolean; maxCount: number } | { mode: 'subscription' } {
  const backwards = options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS;
  if (!options.hasSubscription()) return { mode: 'read', backwards, maxCount: Number(options.getCount()) };
  if (backwards) throw CallError.invalidArgument('A subscription cannot run backwards.');
  return { mode: 'subscription' };
}

function parsePosition(commit: string, prepare: string): ReadFrom {
  const from = numberOrEnd(commit);
  if (from !== numberOrEnd(prepare))
    throw CallError.invalidArgument(
      `Commit position ${commit} and prepare position ${prepare} must be the same.`,
    );
  return from;
}

function numberOrEnd(text: string): ReadFrom {
  return text === END_POSITION.toString() ? 'end' : Number(text);
}
