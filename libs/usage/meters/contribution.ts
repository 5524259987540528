import { Decimal, decimalString, ExactNumber, parseDecimal } from '#libs/kernel/core';
import type { MeterAggregation } from './definition.js';

/** The properties of an event, as parsed from JSON. */
export type Properties = Readonly<Record<string, unknown>>;

/**
 * The contribution of one event to a meter. The kind `filtered` means that the filter excludes the event. The kind `skipped` means that the
 * event has no value at the meter's property. The kind `counted` means that the event is counted, with its value as a string. The value of
 * a counted event is a number, or the distinct value for `count_distinct`.
 */
export type Contribution =
  | { readonly kind: 'filtered' }
  | { readonly kind: 'skipped'; readonly fault: PropertyFault }
  | { readonly kind: 'counted'; readonly value: string };

/**
 * The reason why an event has no value for a meter. `missing` means that the event does not have the property, or that the property is
 * null. `unusable` means that the value of the property cannot be counted.
 */
export type PropertyFault = 'missing' | 'unusable';

const FILTERED: Contribution = { kind: 'filtered' };
const MISSING: Contribution = { kind: 'skipped', fault: 'missing' };
const UNUSABLE: Contribution = { kind: 'skipped', fault: 'unusable' };
const ONE: Contribution = { kind: 'counted', value: '1' };

/**
 * Returns a function that computes the contribution of an event to an aggregation. The statement that adds events to meters (fold-sql.ts)
 * implements the same rule in SQL, with the functions usage.property, usage.scalar_text and usage.numeric_value. A test compares both.
 */
export function createContribution({
  type,
  property,
  filter = {},
}: MeterAggregation): (properties: Properties) => Contribution {
  const filters = Object.entries(filter).map(([path, values]) => ({
    read: propertyReader(path),
    texts: new Set([values].flat().map(scalarText)),
  }));
  const passesFilter = (properties: Properties): boolean =>
    filters.every(({ read, texts }) => texts.has(scalarText(read(properties))));
  if (type === 'count') return (properties) => (passesFilter(properties) ? ONE : FILTERED);
  const read = propertyReader(property!);
  const textOf = type === 'count_distinct' ? scalarText : numericText;
  return (properties) => {
    if (!passesFilter(properties)) return FILTERED;
    const found = read(properties);
    const value = textOf(found);
    if (value !== undefined) return { kind: 'counted', value };
    return found === undefined || found === null ? MISSING : UNUSABLE;
  };
}

/**
 * Reads a property by its literal name. If no property has this name, reads the property by its dot path. The database function
 * `usage.property` does the same.
 */
export function propertyReader(path: string): (properties: Properties) => unknown {
  const segments = path.split('.');
  return (properties) => {
    const literal = own(properties, path);
    return literal === undefined && segments.length > 1 ? segments.reduce<unknown>(own, properties) : literal;
  };
}

/** Returns a member of an object, or an element of a list. Returns undefined if there is no such member or element. */
function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined;
  if (Array.isArray(value)) return LIST_INDEX.test(name) ? value.at(Number(name)) : undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** The texts that Postgres reads as the index of a list, such as `0`, `-1` or `+01`. */
const LIST_INDEX = /^[\t\n\v\f\r ]*[+-]?\d+$/;

/**
 * Returns the string by which values are compared for equality, grouping and distinct counting. The database function `usage.scalar_text`
 * does the same.
 */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return isNumber(value) ? decimalString(new Exact(String(value))) : undefined;
}

/** Decimals that are precise enough for every number of an event. */
const Exact = Decimal.clone({ precision: 250 });
const NUMERIC_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?$/;

/** Returns the text of a number, or of a string that contains a number. The database function `usage.numeric_value` does the same. */
function numericText(value: unknown): string | undefined {
  if (isNumber(value)) return String(value);
  if (typeof value !== 'string' || value.length > 100 || !NUMERIC_TEXT.test(value)) return undefined;
  return parseDecimal(value) === undefined ? undefined : value;
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}
