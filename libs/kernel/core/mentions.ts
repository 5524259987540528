import { ExactNumber } from './json.js';

/**
 * Matches the names of fields that contain ids, numbers, states, types, currencies or times. A text in a field that this pattern does not
 * match can say who a person is.
 */
const PLAIN_FIELD =
  /^(?:id|.*Id|.*Ids|currency|status|type|kind|event|timestamp|number|.*At|.*Start|.*End|dueDate)$/;

/** Matches the names of fields that contain generated ids or ids of customers, in both spellings of requests. */
const ID_FIELD =
  /^(?:ids?|(?!externalId|external_id|taxId|tax_id|couponId|coupon_id).*(?:Ids?|_ids?)|carriedFrom|replacedBy)$/;
/** Fields with an address in a network for e-invoices. Its `id` can say who a person is, and a caller chooses it. */
const ELECTRONIC_ADDRESSES: readonly string[] = ['electronicAddress', 'billToElectronicAddress'];
/** Fields whose content a caller chooses. In all but electronic addresses, a caller chooses the names of the fields too. */
const CHOSEN_CONTENT: ReadonlySet<string> = new Set([
  'metadata',
  'properties',
  'group',
  ...ELECTRONIC_ADDRESSES,
]);

/**
 * Tells whether a JSON value names one of the ids in a field for ids. Other texts do not count, because a caller can choose the id of a
 * customer, such as `USD` or `open`.
 */
export function mentionsAnyId(value: unknown, ids: ReadonlySet<string>): boolean {
  for (const id of textsOfIdFields(value)) if (ids.has(id)) return true;
  return false;
}

/** Returns the texts of all fields for ids in a JSON value. With `fields`, only those of the fields with these names. */
export function idsNamedIn(value: unknown, fields?: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(textsOfIdFields(value, fields));
}

function* textsOfIdFields(value: unknown, fields?: ReadonlySet<string>, field = ''): Generator<string> {
  if (typeof value === 'string') {
    if (fields ? fields.has(field) : ID_FIELD.test(field)) yield value;
    return;
  }
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return;
  if (Array.isArray(value)) for (const part of value) yield* textsOfIdFields(part, fields, field);
  else
    for (const [name, part] of Object.entries(value))
      if (!CHOSEN_CONTENT.has(name)) yield* textsOfIdFields(part, fields, name);
}

/**
 * Returns a JSON value in which texts that can say who a person is are replaced by null. Texts in fields that {@link PLAIN_FIELD} matches
 * stay, except external ids and tax ids. Metadata becomes empty, and an electronic address null.
 */
export function withoutPersonalTexts(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return isPlain(field) ? value : null;
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  if (Array.isArray(value)) return value.map((part) => withoutPersonalTexts(part, field));
  if (field === 'metadata') return {};
  if (ELECTRONIC_ADDRESSES.includes(field)) return null;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withoutPersonalTexts(part, name)]),
  );
}

function isPlain(field: string): boolean {
  return PLAIN_FIELD.test(field) && field !== 'externalId' && field !== 'taxId';
}
