import { ValidationPipe, type ArgumentMetadata, type ValidationPipeOptions } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { findUnstorable, InvalidRequest, type FieldError } from '#libs/kernel/core';
import { closestTo } from './closest-name.js';

/**
 * Bodies and queries against their DTO: every wrong field is named, and unknown ones are refused, with the closest that there is.
 */
export function createValidationPipe(): ValidationPipe {
  return new BodyOrQueryPipe(optionsFor('field'));
}

/** What is validated has fields if it is a body, and parameters if it is a query. */
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
 * No body is an empty one, so that a body with optional fields only can be left out; one that is no object is refused,
 * and so is text that Postgres cannot store, in whatever field.
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

/** What is said of a field or parameter that there is not. */
const notOne = (part: Part): string => `is not a ${part} of this request`;

/**
 * Where a field has the name of what every object inherits, such as `toString`. The library that makes DTOs leaves such fields out without
 * a word. Free JSON (metadata, filters) has no fields, and may have such names.
 *
 * @param raw what was sent
 * @param read what was made of it: a DTO's instances where there are fields
 */
function findInheritedName(raw: unknown, read: unknown): string | undefined {
  if (typeof raw !== 'object' || raw === null || typeof read !== 'object' || read === null) return undefined;
  // What is kept as it came has no fields.
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
  const field = parent === '' ? error.property : `${parent}.${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([name, message]) => ({
    field,
    message: name === 'whitelistValidation' ? unknownOf(error, part) : message,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, field, part))];
}

/** The same with the closest name that there is. A query has few parameters, so all of them are named where none is close. */
function unknownOf({ property, target }: ValidationError, part: Part): string {
  const known = target ? fieldsOf(target) : [];
  const meant = closestTo(property, known);
  const unknown = notOne(part);
  if (meant !== undefined) return `${unknown}; did you mean ${meant}?`;
  return part === 'parameter' && known.length > 0 ? `${unknown}, which takes ${known.join(', ')}` : unknown;
}

/** The names of a DTO's fields, in alphabetical order. */
function fieldsOf(target: object): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))].sort();
}
