import { ValidationPipe, type ArgumentMetadata, type ValidationPipeOptions } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { findUnstorable, InvalidRequest, type FieldError } from '#libs/core';
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
    if (metadata.type === 'query') return this.queries.transform(value, metadata) as unknown;
    if (metadata.type !== 'body' || !this.toValidate(metadata))
      return super.transform(value, metadata) as unknown;
    const body = value ?? {};
    if (value === null || typeof body !== 'object' || Array.isArray(body))
      throw new InvalidRequest('validation_failed', 'The body must be a JSON object');
    const unstorable = findUnstorable(body);
    if (unstorable !== undefined)
      throw InvalidRequest.field(unstorable, 'must not have NUL characters or unpaired surrogates');
    return super.transform(body, metadata) as unknown;
  }
}

function fieldErrors(error: ValidationError, parent: string, part: Part): FieldError[] {
  const field = parent === '' ? error.property : `${parent}.${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([name, message]) => ({
    field,
    message: name === 'whitelistValidation' ? unknownOf(error, part) : message,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, field, part))];
}

/** What is said of a field that there is not. A query has few parameters, so all of them are named where none is close. */
function unknownOf({ property, target }: ValidationError, part: Part): string {
  const known = target ? fieldsOf(target) : [];
  const meant = closestTo(property, known);
  const unknown = `is not a ${part} of this request`;
  if (meant !== undefined) return `${unknown}; did you mean ${meant}?`;
  return part === 'parameter' && known.length > 0 ? `${unknown}, which takes ${known.join(', ')}` : unknown;
}

/** The names of a DTO's fields, in alphabetical order. */
function fieldsOf(target: object): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))].sort();
}
