import { Decimal, decimalString, ExactNumber, parseDecimal } from '#libs/kernel/core';
import type { MeterAggregation } from './definition.js';

/** The properties of an event, as parsed from JSON. */
export type Properties = Readonly<Record<string, unknown>>;

/**
 * The contribution of one event to a meter. `filtered`: the filter excludes the event. `skipped`: the event has no value at the meter's
 * property. `counted`: the event is counted, with its value as a string. The value is a number, or the distinct value for `count_distinct`.
 */
export type Contribution =
  | { readonly kind: 'filtered' }
  | { readonly kind: 'skipped'; readonly fault: PropertyFault }
  | { readonly kind: 'counted'; readonly value: string };

/**
 * Why an event has no value. `missing`: the event does not have the property, or the property is null. `unusable`: the value cannot be
 * counted.
 */
export type PropertyFault = 'missing' | 'unusable';

const FILTERED: Contribution = { kind: 'filtered' };
const MISSING: Contribution = { kind: 'skipped', fault: 'missing' };
const UNUSABLE: Contribution = { kind: 'skipped', fault: 'unusable' };
const ONE: Contribution = { kind: 'counted', value: '1' };

/**
 * Returns a function that computes the contribution of an event to an aggregation. The statement that folds meters (fold-sql.ts) implements
 * the same rule in SQL, with the functions usage.property, usage.scalar_text and usage.numeric_value. A test compares both.
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

/** Reads a property by its literal name. If there is none, reads it by its path. The same as `usage.property`. */
export function propertyReader(path: string): (properties: Properties) => unknown {
  const segments = path.split('.');
  return (properties) => {
    const literal = own(properties, path);
    return literal === undefined && segments.length > 1 ? segments.reduce<unknown>(own, properties) : literal;
  };
}

/** A member of an object or an element of a list. Undefined if it does not exist. */
function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined;
  if (Array.isArray(value)) return /^(?:-?(?:0|[1-9]\d*))$/.test(name) ? value.at(Number(name)) : undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** The string by which values are compared for equality, grouping and distinct counting. The same as `usage.scalar_text`. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return isNumber(value) ? decimalString(new Exact(String(value))) : undefined;
}

/** Decimals with enough precision for every number of an event. */
const Exact = Decimal.clone({ precision: 250 });
const NUMERIC_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?$/;

/** Returns numbers, and strings that contain a number. The same as `usage.numeric_value`. */
function numericText(value: unknown): string | undefined {
  if (isNumber(value)) return String(value);
  if (typeof value !== 'string' || value.length > 100 || !NUMERIC_TEXT.test(value)) return undefined;
  return parseDecimal(value) === undefined ? undefined : value;
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}
