import { ValidationPipe, type ArgumentMetadata, type ValidationPipeOptions } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { findUnstorable, InvalidRequest, wrongValue, type FieldError } from '#libs/kernel/core';
import { closestName } from './closest-name.js';

/**
 * Validates bodies and queries against their DTO. The validation error names every wrong field. An unknown field is refused, and the error
 * suggests the closest known name.
 */
export function createValidationPipe(): ValidationPipe {
  return new BodyOrQueryPipe(optionsFor('field'));
}

/** The word of error messages for one value of a request. A body has fields, and a query has parameters. */
type Part = 'field' | 'parameter';

function optionsFor(part: Part): ValidationPipeOptions {
  return {
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    validationError: { target: true },
    stopAtFirstError: true,
    exceptionFactory: (errors) => {
      const details = errors.flatMap((error) => fieldErrors(error, '', part));
      const message = details.map(({ field, message: expected }) => `${field} ${expected}`).join('; ');
      return new InvalidRequest('validation_failed', message, details);
    },
  };
}

/**
 * Validates bodies and queries. A missing body is treated as an empty body, so a client can leave out a body with only optional fields. The
 * pipe refuses a body that is not an object. The pipe also refuses text that Postgres cannot store, in any field.
 */
class BodyOrQueryPipe extends ValidationPipe {
  private readonly queries = new ValidationPipe(optionsFor('parameter'));

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (!this.toValidate(metadata)) return super.transform(value, metadata) as unknown;
    if (metadata.type !== 'body') return this.read(value, metadata);
    const body = value ?? {};
    if (value === null || typeof body !== 'object' || Array.isArray(body))
      throw new InvalidRequest('validation_failed', 'The body must be a JSON object');
    const unstorable = findUnstorable(body);
    if (unstorable !== undefined)
      throw InvalidRequest.field(unstorable, 'must not have NUL characters or unpaired surrogates');
    return this.read(body, metadata);
  }

  private async read(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const isQuery = metadata.type === 'query';
    const read = (await (isQuery
      ? this.queries.transform(value, metadata)
      : super.transform(value, metadata))) as unknown;
    const path = findInheritedName(value, read);
    if (path !== undefined) throw InvalidRequest.field(path, notOne(isQuery ? 'parameter' : 'field'));
    return read;
  }
}

/** The error message for an unknown field or parameter. */
const notOne = (part: Part): string => `is not a ${part} of this request`;

/**
 * Returns the path of a field whose name every object inherits, such as `toString`. The library that creates DTOs silently drops fields
 * with inherited names. Free JSON (metadata, filters) may have inherited names, because it is not converted to a DTO.
 *
 * @param raw the value that was sent
 * @param read the value that the library made from `raw`: each object with declared fields is an instance of its DTO
 */
function findInheritedName(raw: unknown, read: unknown): string | undefined {
  if (typeof raw !== 'object' || raw === null || typeof read !== 'object' || read === null) return undefined;
  // A value that the library kept as it was sent has no fields.
  if (raw === read) return undefined;
  const isDto = !Array.isArray(read) && Object.getPrototypeOf(read) !== Object.prototype;
  for (const [name, inner] of Object.entries(raw)) {
    if (isDto && name in Object.prototype) return name;
    const path = findInheritedName(inner, (read as Record<string, unknown>)[name]);
    if (path !== undefined) return `${name}.${path}`;
  }
  return undefined;
}

function fieldErrors(error: ValidationError, parent: string, part: Part): FieldError[] {
  const field = pathOf(error, parent);
  const own = Object.entries(error.constraints ?? {}).map(([name, message]) => ({
    field,
    message: name === 'whitelistValidation' ? unknownOf(error, part) : wrongValue(error.value, message),
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, field, part))];
}

/** Returns the path of a field. An element of a list is written as `prices[1]`. */
function pathOf({ property, target }: ValidationError, parent: string): string {
  if (parent === '') return property;
  return Array.isArray(target) ? `${parent}[${property}]` : `${parent}.${property}`;
}

/**
 * Returns the error message for an unknown field, with the closest known name. A query has few parameters, so the message names all
 * parameters if no name is close.
 */
function unknownOf({ property, target }: ValidationError, part: Part): string {
  const known = target ? fieldsOf(target) : [];
  const meant = closestName(property, known);
  const unknown = notOne(part);
  if (meant !== undefined) return `${unknown}; did you mean ${meant}?`;
  return part === 'parameter' && known.length > 0 ? `${unknown}, which takes ${known.join(', ')}` : unknown;
}

/** Returns the names of a DTO's fields, in alphabetical order. */
function fieldsOf(target: object): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))].sort();
}
