import { Decimal, decimalString, ExactNumber, parseDecimal } from '#libs/kernel/core';
import type { MeterAggregation } from './definition.js';

/** The properties of an event, as parsed from JSON. */
export type Properties = Readonly<Record<string, unknown>>;

/**
 * The contribution of one event to a meter: `filtered` if the filter excludes it, `skipped` if it has no value at the meter's property, or
 * `counted` with its value as text. The value is a number, or the distinct value for `count_distinct`.
 */
export type Contribution =
  | { readonly kind: 'filtered' }
  | { readonly kind: 'skipped'; readonly fault: PropertyFault }
  | { readonly kind: 'counted'; readonly value: string };

/** `missing`: the event has no such property, or null at it. `unusable`: it has a value that cannot be counted. */
export type PropertyFault = 'missing' | 'unusable';

const FILTERED: Contribution = { kind: 'filtered' };
const MISSING: Contribution = { kind: 'skipped', fault: 'missing' };
const UNUSABLE: Contribution = { kind: 'skipped', fault: 'unusable' };
const ONE: Contribution = { kind: 'counted', value: '1' };

/**
 * Returns the contributions of events to an aggregation. It is the one rule of what counts, beside the statement that folds (fold-sql.ts)
 * and the functions of the log that it calls (usage.property, usage.scalar_text, usage.numeric_value): they say the same in SQL, and a test
 * holds both against each other.
 */
export function contributionsTo({
  type,
  property,
  filter = {},
}: MeterAggregation): (properties: Properties) => Contribution {
  const filters = Object.entries(filter).map(([path, values]) => ({
    read: propertyReader(path),
    texts: new Set([values].flat().map(scalarText)),
  }));
  const isLetIn = (properties: Properties): boolean =>
    filters.every(({ read, texts }) => texts.has(scalarText(read(properties))));
  if (type === 'count') return (properties) => (isLetIn(properties) ? ONE : FILTERED);
  const read = propertyReader(property!);
  const textOf = type === 'count_distinct' ? scalarText : numericText;
  return (properties) => {
    if (!isLetIn(properties)) return FILTERED;
    const found = read(properties);
    const value = textOf(found);
    if (value !== undefined) return { kind: 'counted', value };
    return found === undefined || found === null ? MISSING : UNUSABLE;
  };
}

/** Reads a property by its literal name, else by its path: `usage.property`. */
export function propertyReader(path: string): (properties: Properties) => unknown {
  const segments = path.split('.');
  return (properties) => {
    const literal = own(properties, path);
    return literal === undefined && segments.length > 1 ? segments.reduce<unknown>(own, properties) : literal;
  };
}

/** A member of an object or an element of a list; undefined if there is none. */
function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined;
  if (Array.isArray(value)) return /^(?:-?(?:0|[1-9]\d*))$/.test(name) ? value.at(Number(name)) : undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** The text by which equality, grouping and distinct counting compare values: `usage.scalar_text`. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return isNumber(value) ? decimalString(new Exact(String(value))) : undefined;
}

/** Precise enough for every number that an event can have. */
const Exact = Decimal.clone({ precision: 250 });
const NUMERIC_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?$/;

/** Numbers, and text that is one: `usage.numeric_value`. */
function numericText(value: unknown): string | undefined {
  if (isNumber(value)) return String(value);
  if (typeof value !== 'string' || value.length > 100 || !NUMERIC_TEXT.test(value)) return undefined;
  return parseDecimal(value) === undefined ? undefined : value;
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}
