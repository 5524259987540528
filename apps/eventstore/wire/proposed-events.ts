/** Reads the events of an append, message by message. */
import { eventSizeInAppend, type ExpectedRevision, type ProposedEvent } from '../streams/events.js';
import { CallError } from './errors.js';
import { parseUuid } from './identifiers.js';
import { ContentType, EventMetadataKey } from './names.js';
import type { AppendReq, BatchAppendReq } from './stubs.js';

type ProposedMessage =
  | NonNullable<ReturnType<AppendReq['getProposedMessage']>>
  | ReturnType<BatchAppendReq['getProposedMessagesList']>[number];

/** The options for the expected revision. The requests of all kinds of write have these options, although their generated types differ. */
interface ExpectedRevisionOptions {
  hasAny(): boolean;
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
}

/** Collects the events of one append, and checks each event when it is added. */
export class ProposedEvents {
  readonly events: ProposedEvent[] = [];
  readonly #ids = new Set<string>();
  readonly #limit: number;
  #size = 0;

  /** @param limit the maximum bytes of the whole append, as {@link eventSizeInAppend} counts them */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws CallError if the event is invalid or the append becomes too large */
  add(message: ProposedMessage): void {
    const event = readProposedEvent(message);
    this.#size += eventSizeInAppend(event);
    if (this.#size > this.#limit) throw CallError.maximumAppendSizeExceeded(this.#limit);
    if (this.#ids.has(event.id))
      throw CallError.invalidArgument(`The event id ${event.id} appears twice in one append.`);
    this.#ids.add(event.id);
    this.events.push(event);
  }
}

/**
 * Returns the revision that a request expects.
 *
 * @throws CallError if the request has no expected revision
 */
export function parseExpectedRevision(
  options: ExpectedRevisionOptions,
  revision: string | undefined,
): ExpectedRevision {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  if (revision !== undefined) return BigInt(revision);
  throw CallError.invalidArgument('The expected stream revision is missing.');
}

function readProposedEvent(message: ProposedMessage): ProposedEvent {
  const metadata = message.getMetadataMap();
  const type = metadata.get(EventMetadataKey.type);
  if (type === undefined || type === '') throw CallError.missingMetadata(EventMetadataKey.type);
  const contentType = metadata.get(EventMetadataKey.contentType);
  if (contentType === undefined) throw CallError.missingMetadata(EventMetadataKey.contentType);
  if (type.includes('\0'))
    throw CallError.invalidArgument('An event type must not contain the character U+0000.');
  return {
    id: parseUuid(message.getId()),
    type,
    isJson: contentType === ContentType.json,
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}
