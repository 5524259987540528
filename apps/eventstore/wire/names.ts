/**
 * Every name that crosses the wire or is stored as a system word, in one place. They are EventStoreDB's,
 * since the official client looks for them letter by letter.
 */

/** Keys and values of the metadata that accompanies an event on the wire. */
export const EventMetadata = {
  type: 'type',
  contentType: 'content-type',
  created: 'created',
} as const;

export const ContentType = {
  json: 'application/json',
  binary: 'application/octet-stream',
} as const;

/** Types of the events that the store writes or interprets itself. */
export const SystemEventType = {
  streamMetadata: '$metadata',
  streamDeleted: '$streamDeleted',
  link: '$>',
} as const;

/** The name of the whole log, as if it were a stream. */
export const ALL_STREAM = '$all';

/** Prefix of the stream that holds another stream's metadata. */
export const METASTREAM_PREFIX = '$$';

/** Keys of stream metadata that the store obeys. */
export const StreamMetadataKey = {
  maxCount: '$maxCount',
  maxAge: '$maxAge',
  truncateBefore: '$tb',
} as const;

/** Trailers of a failed call; the client picks its error class by `exception`. */
export const Trailer = {
  exception: 'exception',
  streamName: 'stream-name',
  expectedVersion: 'expected-version',
  actualVersion: 'actual-version',
  maximumAppendSize: 'maximum-append-size',
  requiredMetadataProperties: 'required-metadata-properties',
} as const;

export const ExceptionName = {
  accessDenied: 'access-denied',
  wrongExpectedVersion: 'wrong-expected-version',
  streamDeleted: 'stream-deleted',
  maximumAppendSizeExceeded: 'maximum-append-size-exceeded',
  missingRequiredMetadataProperty: 'missing-required-metadata-property',
} as const;

/** Names of the messages that travel as the details of a `google.rpc.Status` in a batch append's answer. */
export const StatusDetail = {
  accessDenied: 'event_store.client.AccessDenied',
  wrongExpectedVersion: 'event_store.client.WrongExpectedVersion',
  streamDeleted: 'event_store.client.StreamDeleted',
  timeout: 'event_store.client.Timeout',
  maximumAppendSizeExceeded: 'event_store.client.MaximumAppendSizeExceeded',
  badRequest: 'event_store.client.BadRequest',
  unknown: 'event_store.client.Unknown',
} as const;

/** The names that trailers use for expected revisions that are not numbers. */
export const ExpectedVersionNumber = {
  any: '-2',
  no_stream: '-1',
  stream_exists: '-4',
} as const;

/** The revision of a tombstone: the largest there is, so that nothing can follow it. */
export const TOMBSTONE_REVISION = 9_223_372_036_854_775_807n;

/** The position that stands for the end of the log in an unsigned 64-bit field. */
export const END_POSITION = 18_446_744_073_709_551_615n;

/** The version that the node reports. Clients parse three numbers; they enable features by the methods listed, not by this. */
export const SERVER_VERSION = '24.10.0';
