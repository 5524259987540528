import { StreamMetadataKey, TOMBSTONE_REVISION } from '../wire/names.js';

/**
 * A stream's metadata: the settings that the store applies, and the whole object. The whole object is needed because undoing a soft delete
 * changes `$tb` and keeps all other fields.
 */
export interface StreamMetadata {
  /** The largest number of events that readers see, counted from the last event. */
  readonly maxCount?: number;
  /** Readers see no event that is older. */
  readonly maxAgeSeconds?: number;
  /** Readers see no event with a lower revision. */
  readonly truncateBefore?: number;
  /** All fields of the JSON object, also those that this node does not know. */
  readonly allFields: Readonly<Record<string, unknown>>;
}

export const NO_METADATA: StreamMetadata = { allFields: {} };

/** The metadata of a metastream. The metadata of a metastream cannot be changed, and readers see only the last event of a metastream. */
export const METASTREAM_METADATA: StreamMetadata = { maxCount: 1, allFields: {} };

/** The metadata of a soft-deleted stream. This metadata truncates the stream before a revision that no event can have. */
export const SOFT_DELETED_JSON = Buffer.from(`{"${StreamMetadataKey.truncateBefore}":${TOMBSTONE_REVISION}}`);

/**
 * Reads the payload of a `$metadata` event. EventStoreDB does not check the payload at the append. Both EventStoreDB and this function
 * ignore values that cannot be parsed.
 */
export function parseStreamMetadata(data: Uint8Array): StreamMetadata {
  const allFields = parseObject(data);
  if (allFields === undefined) return NO_METADATA;
  const maxCount = wholeNumber(allFields[StreamMetadataKey.maxCount], 1);
  const maxAgeSeconds = wholeNumber(allFields[StreamMetadataKey.maxAge], 1);
  const truncateBefore = wholeNumber(allFields[StreamMetadataKey.truncateBefore], 0);
  return {
    allFields,
    ...(maxCount !== undefined && { maxCount }),
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
    ...(truncateBefore !== undefined && { truncateBefore }),
  };
}

export function isSoftDeleted(metadata: StreamMetadata): boolean {
  return metadata.truncateBefore !== undefined && metadata.truncateBefore >= Number(TOMBSTONE_REVISION);
}

/** Returns the metadata that restores a soft-deleted stream. Readers then see the events from `revision` on. */
export function undeletedMetadata(metadata: StreamMetadata, revision: number): Buffer {
  return Buffer.from(JSON.stringify({ ...metadata.allFields, [StreamMetadataKey.truncateBefore]: revision }));
}

function parseObject(data: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(data).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function wholeNumber(value: unknown, min: number): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= min ? value : undefined;
}
