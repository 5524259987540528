import { parseDecimal, type Decimal } from './decimal.js';
import type { FieldError } from './errors.js';

/**
 * A JSON number that stays exact. ExactNumber is used for a number that a double would change (more than 15 significant digits, or an
 * extreme exponent). An ExactNumber is serialised with exactly the digits that were read.
 */
export class ExactNumber {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    return rawJson(this.text);
  }
}

type RawJson = (text: string) => unknown;
const rawJson = (JSON as unknown as { rawJSON: RawJson }).rawJSON;

/** Tells whether a value of parsed JSON is an object with fields. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/**
 * Returns the decimal of a JSON number that was parsed from a request. Returns undefined for any value that is not a JSON number, such as a
 * string of digits.
 */
export function decimalFromJson(value: unknown): Decimal | undefined {
  if (value instanceof ExactNumber) return parseDecimal(value.text);
  return typeof value === 'number' ? parseDecimal(value) : undefined;
}

/** Converts a decimal string to a JSON number with exactly the same digits, for outgoing bodies. */
export function jsonNumber(decimal: string): number {
  // JSON.stringify writes the value of rawJSON with the given digits. Callers only serialise the value, so its type can be `number`.
  return rawJson(decimal) as number;
}

/** The fields with a number in place of each decimal string. A field that can be absent or undefined still can. */
type JsonNumbers<Decimals> = {
  -readonly [Name in keyof Decimals]: undefined extends Decimals[Name] ? number | undefined : number;
};

/** Applies {@link jsonNumber} to each field that has a value, and leaves out the others. */
export function jsonNumbers<Decimals extends Readonly<Partial<Record<keyof Decimals, string | undefined>>>>(
  decimals: Decimals,
): JsonNumbers<Decimals> {
  return Object.fromEntries(
    Object.entries<string | undefined>(decimals).flatMap(([name, decimal]) =>
      decimal === undefined ? [] : [[name, jsonNumber(decimal)]],
    ),
  ) as JsonNumbers<Decimals>;
}

/**
 * Matches numbers in which a double may lose digits: 16 digits in a row (perhaps with a point between), or an exponent. The pattern only
 * matches at places where a value can begin, because ids also contain such digits. Parsing with exact numbers takes ten times as long, so
 * only texts that match are parsed in this way.
 */
const MAY_LOSE_DIGITS = /(?:^|[:,[])\s*-?(?:\d(?:\.?\d){15,}|\d+(?:\.\d+)?[eE])/;

/**
 * Parses JSON. A `__proto__` key becomes an own property of the object, as in JSON.parse, and callers refuse it with {@link
 * findForbiddenKey}. Throws SyntaxError on malformed text.
 *
 * @param hasLongNumbers whether the text has numbers that a double may change, if that is already known
 */
export function parseJson(text: string, hasLongNumbers = MAY_LOSE_DIGITS.test(text)): unknown {
  if (!hasLongNumbers) return JSON.parse(text) as unknown;
  const reviver = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return isExactDouble(value, context.source) ? value : new ExactNumber(context.source);
  };
  return JSON.parse(text, reviver) as unknown;
}

/**
 * Parses JSON, and keeps each number in the form of {@link jsonNumber}, so that the number is serialised with the digits that were read.
 */
export function parseJsonWithRawNumbers(text: string): unknown {
  const reviver = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined ? rawJson(context.source) : value;
  return JSON.parse(text, reviver) as unknown;
}

/** Tells whether the double, printed with its shortest digits, equals the number in the source. */
function isExactDouble(value: number, source: string): boolean {
  if (String(value) === source) return true;
  const exact = parseDecimal(source);
  return Number.isFinite(value) && exact !== undefined && exact.eq(String(value));
}

/**
 * JSON text that is the same for equal values: keys in order, no spaces, and numbers as decimals without trailing zeros. Canonical JSON is
 * for comparing values, not for showing them.
 */
export function canonicalJson(value: unknown): string {
  if (value instanceof ExactNumber) return String(parseDecimal(value.text) ?? value.text);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
}

/**
 * Finds the first `__proto__`, `constructor` or `prototype` key, or the first value that is nested deeper than `maxDepth`. The returned
 * error names the path of the key or value, with dots.
 */
export function findForbiddenKey(value: unknown, maxDepth: number): FieldError | undefined {
  const found = forbidden(value, maxDepth);
  return found && { field: found.path.reverse().join('.') || 'body', message: found.why };
}

/** The path is built only after a forbidden key was found, since very few bodies have one. */
function forbidden(value: unknown, maxDepth: number): { path: string[]; why: string } | undefined {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined;
  if (maxDepth === 0) return { path: [], why: 'is nested too deep' };
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || key === 'constructor' || key === 'prototype')
      return { path: [key], why: 'is not allowed as a key' };
    const found = forbidden((value as Record<string, unknown>)[key], maxDepth - 1);
    if (found) return { ...found, path: [...found.path, key] };
  }
  return undefined;
}

/**
 * Finds a string or key in a JSON value that Postgres cannot store. Returns the path of the string or key, with dots; undefined if Postgres
 * can store everything. An event with a text that Postgres cannot store would stop every read model.
 */
export function findUnstorable(value: unknown): string | undefined {
  return unstorable(value)?.reverse().join('.');
}

function unstorable(value: unknown): string[] | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : [];
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const path = isStorable(key) ? unstorable(inner) : [];
    if (path) return [...path, key.toWellFormed()];
  }
  return undefined;
}

/** Tells whether Postgres can store the text: it has no NUL character and is well-formed Unicode. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
