/**
 * All system names that the node sends, receives or stores. EventStoreDB defines these names, and the official client needs exactly these
 * names.
 */

/** Keys and values of the metadata that the protocol sends with an event. */
export const EventMetadataKey = {
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

/** The name of the whole log in places where the protocol expects a stream name. */
export const ALL_STREAM = '$all';

/** The prefix of the stream that contains another stream's metadata. */
export const METASTREAM_PREFIX = '$$';

/** Keys of stream metadata that the store applies. */
export const StreamMetadataKey = {
  maxCount: '$maxCount',
  maxAge: '$maxAge',
  truncateBefore: '$tb',
} as const;

/** The trailers of a failed call. The client chooses its error class by `exception`. */
export const TrailerKey = {
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

/** The names of the messages for the details of a `google.rpc.Status` in the response to a batch append. */
export const StatusDetailName = {
  accessDenied: 'event_store.client.AccessDenied',
  wrongExpectedVersion: 'event_store.client.WrongExpectedVersion',
  streamDeleted: 'event_store.client.StreamDeleted',
  timeout: 'event_store.client.Timeout',
  maximumAppendSizeExceeded: 'event_store.client.MaximumAppendSizeExceeded',
  badRequest: 'event_store.client.BadRequest',
  unknown: 'event_store.client.Unknown',
} as const;

/** The numbers that stand for the keywords of expected revisions in trailers. */
export const ExpectedVersionNumber = {
  any: '-2',
  no_stream: '-1',
  stream_exists: '-4',
} as const;

/** The revision of a tombstone. The revision of a tombstone is the largest revision, so no event can follow. */
export const TOMBSTONE_REVISION = 9_223_372_036_854_775_807n;

/** The position that represents the end of the log in an unsigned 64-bit field. */
export const END_POSITION = 18_446_744_073_709_551_615n;

/**
 * The version that the node reports. It has three numbers, because clients parse three. Clients enable features by the list of supported
 * methods, not by this version.
 */
export const REPORTED_SERVER_VERSION = '24.10.0';
