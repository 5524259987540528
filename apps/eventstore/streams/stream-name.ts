import { METASTREAM_PREFIX } from '../wire/names.js';

/** The parsed name of a stream. */
export interface ParsedStreamName {
  readonly name: string;
  /** The stream's own name, or for the metastream `$$orders-1` the name `orders-1`. */
  readonly nameWithoutPrefix: string;
  readonly isMetastream: boolean;
}

/**
 * The maximum number of bytes of a stream name. A longer name could exceed the maximum size of an entry in Postgres's unique index.
 */
export const MAX_STREAM_NAME_BYTES = 2_000;

export function parseStreamName(name: string): ParsedStreamName {
  const isMetastream = name.startsWith(METASTREAM_PREFIX);
  return {
    name,
    nameWithoutPrefix: isMetastream ? name.slice(METASTREAM_PREFIX.length) : name,
    isMetastream,
  };
}

export function metastreamOf(name: string): string {
  return `${METASTREAM_PREFIX}${name}`;
}

/** Returns the error in a stream name, or `undefined` if the name is valid. */
export function streamNameProblem(name: string): string | undefined {
  if (name === '' || name === METASTREAM_PREFIX) return 'The stream name is empty.';
  if (name.includes('\0')) return 'A stream name must not contain the character U+0000.';
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_STREAM_NAME_BYTES)
    return `The stream name is ${bytes} bytes long; at most ${MAX_STREAM_NAME_BYTES} are allowed.`;
  return undefined;
}
