import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { InvalidRequest, type FieldError } from '#libs/kernel/core';
import { endDoesNotCount } from './fields/instants.js';

/** The values of a query string. A parameter that was given more than once has a list of its values. */
export type QueryValues = Record<string, string | string[]>;

interface OtherName {
  /** The documented name. */
  readonly name: string;
  /** Converts a value of the other name to a value of the documented name. */
  readonly convert?: ((value: string) => string) | undefined;
}

type Query = new () => object;

const formerNames = new Map<Query, Map<string, OtherName>>();

/**
 * Lets a query parameter be read by a former name too.
 *
 * @param convert makes a value of the parameter from a value of the former name. A value that it cannot read is left as it is.
 * @param documented describes the former name in the OpenAPI document, as deprecated. The API contract has such names.
 */
export function FormerName(
  former: string,
  { convert, documented }: { convert?: (value: string) => string; documented?: ApiPropertyOptions } = {},
): PropertyDecorator {
  return (target, name) => {
    const query = target.constructor as Query;
    const names = formerNames.get(query) ?? new Map<string, OtherName>();
    formerNames.set(query, names.set(former, { name: name as string, convert }));
    if (documented) ApiPropertyOptional({ ...documented, deprecated: true })(target, former);
  };
}

const toCamelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const toSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The other names of each query, by its class. They are collected once. */
const otherNames = new Map<Query, ReadonlyMap<string, OtherName>>();

/** The other names of a query's parameters: the other spelling of each (`customer_id`, `customerId`), and former names in both spellings. */
function otherNamesOf(query: Query): ReadonlyMap<string, OtherName> {
  const present = otherNames.get(query);
  if (present) return present;
  const known = new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(query, '', false, false)
      .map(({ propertyName }) => propertyName),
  );
  const names = new Map<string, OtherName>();
  const add = (spelling: string, other: OtherName) => {
    if (!known.has(spelling)) names.set(spelling, other);
  };
  for (const name of known) for (const to of [toCamelCase, toSnakeCase]) add(to(name), { name });
  for (let type = query; typeof type === 'function'; type = Object.getPrototypeOf(type) as Query)
    for (const [former, other] of formerNames.get(type) ?? [])
      for (const spelling of [former, toCamelCase(former), toSnakeCase(former)]) add(spelling, other);
  otherNames.set(query, names);
  return names;
}

/** The names of a request's parameters, by their documented names. */
const given = new WeakMap<FastifyRequest, ReadonlyMap<string, GivenName>>();

interface GivenName {
  readonly name: string;
  /** Whether the parameter is the end of a range that is not in the range. Its value was converted to the last moment of the range. */
  readonly isEnd: boolean;
}

/**
 * Gives the query parameters of a request their documented names. {@link inGivenNames} names them in errors as the request does. Throws
 * InvalidRequest if a parameter is given by two names.
 *
 * @param query the class that describes the parameters
 */
export function renameParameters(request: FastifyRequest, query: Query): void {
  const names = otherNamesOf(query);
  const values = Object.create(null) as QueryValues;
  const givenNames = new Map<string, GivenName>();
  for (const [name, value] of Object.entries(request.query as QueryValues)) {
    const other = names.get(name);
    const known = other?.name ?? name;
    if (known in values) throw twice(name, givenNames.get(known)?.name ?? known);
    if (other) givenNames.set(known, { name, isEnd: other.convert !== undefined });
    values[known] = other?.convert && typeof value === 'string' ? other.convert(value) : value;
  }
  if (givenNames.size === 0) return;
  request.query = values;
  given.set(request, givenNames);
}

function twice(name: string, before: string): InvalidRequest {
  const messageFor = (other: string) => `cannot be given together with ${other}; give one of them`;
  return new InvalidRequest('validation_failed', `${name} ${messageFor(before)}`, [
    { field: before, message: messageFor(name) },
    { field: name, message: messageFor(before) },
  ]);
}

/** Returns an error with the names of parameters that the request gave, in place of the documented names. */
export function inGivenNames<Described extends { error: string; details?: FieldError[] }>(
  request: FastifyRequest,
  described: Described,
): Described {
  const names = given.get(request);
  if (!names || !described.details) return described;
  const rename = (text: string): string =>
    [...names].reduce(
      (renamed, [name, { name: other }]) =>
        renamed.replaceAll(new RegExp(String.raw`\b${name}\b`, 'g'), other),
      text,
    );
  let error = rename(described.error);
  const details = described.details.map(({ field, message: text }) => {
    const { name = field, isEnd = false } = names.get(field) ?? {};
    const message = rename(text);
    if (!isEnd || !message.startsWith('must not be before ')) return { field: name, message };
    const completed = `${message}; ${endDoesNotCount(name)}`;
    error = error.replace(message, completed);
    return { field: name, message: completed };
  });
  return { ...described, error, details };
}
