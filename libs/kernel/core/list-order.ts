import { InvalidRequest } from './errors.js';
import { parsePreciseInstant } from './instant.js';
import { parseWholeNumber } from './whole-number.js';

/**
 * The place of an entry in its list: the values of the fields by which the list is ordered. No two entries of a list have the same key
 * values.
 */
export type ListKey = readonly [string, ...string[]];

/** A part of a list: at most `limit` entries, after the first `offset` entries or after the entry with the key `after`. */
export interface ListPart {
  readonly limit: number;
  readonly offset: number;
  readonly after?: ListKey | undefined;
}

/** The type of one part of a sort key. An `integer` has 32 bits, a `number` has 64. */
type KeyPart = 'number' | 'integer' | 'instant' | 'text';

/** The order of a list, and the key by which the list is sorted. */
export interface ListOrder<Row> {
  /** The name of the list. A cursor of one list is not valid in another. */
  readonly list: string;
  readonly keyParts: readonly KeyPart[];
  keyOf(row: Row): ListKey;
}

const LARGEST = 2n ** 63n - 1n;
const LARGEST_INTEGER = 2 ** 31 - 1;
/**
 * The form of an instant inside a key. Other forms are refused, because Postgres does not accept all formats and offsets that
 * parsePreciseInstant accepts.
 */
const UTC_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;
const MAX_TEXT_CHARACTERS = 512;
/** Postgres cannot store this character. */
const NUL = '\u0000';

const IS: Readonly<Record<KeyPart, (value: string) => boolean>> = {
  number: (value) => /^\d{1,19}$/.test(value) && BigInt(value) <= LARGEST,
  integer: (value) => parseWholeNumber(value, { max: LARGEST_INTEGER }) !== undefined,
  instant: (value) => UTC_INSTANT.test(value) && parsePreciseInstant(value) !== undefined,
  text: (value) => value.length <= MAX_TEXT_CHARACTERS && !value.includes(NUL),
};

/** Encodes a place in a list as a text for clients. Clients send the cursor back unchanged and need not understand it. */
export function cursorOf({ list }: Pick<ListOrder<never>, 'list'>, key: ListKey): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString('base64url');
}

/**
 * Decodes a cursor to the place in the list that it was made from. Throws InvalidRequest for the field `after` if the text is not a cursor
 * of this list.
 */
export function readCursor(
  { list, keyParts: parts }: Omit<ListOrder<never>, 'keyOf'>,
  cursor: string,
): ListKey {
  const [of, ...key] = valuesOf(cursor);
  if (of !== list || key.length !== parts.length || !parts.every((part, at) => IS[part](key[at]!)))
    throw InvalidRequest.field(
      'after',
      'must be the next of an earlier page of this list; leave it out to begin with the first page',
    );
  return key as unknown as ListKey;
}

function valuesOf(cursor: string): string[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : [];
  } catch {
    return [];
  }
}
