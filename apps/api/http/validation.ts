import { ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { findUnstorable, InvalidRequest, type FieldError } from '#libs/core';

/** Bodies and queries against their DTO: unknown fields are refused, and every wrong field is named. */
export function createValidationPipe(): ValidationPipe {
  return new BodyOrQueryPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    exceptionFactory: (errors) => {
      const details = errors.flatMap((error) => fieldErrors(error, ''));
      const message = details.map(({ field, message: expected }) => `${field} ${expected}`).join('; ');
      return new InvalidRequest('validation_failed', message, details);
    },
  });
}

/**
 * No body is an empty one, so that a body with optional fields only can be left out; one that is no object is refused,
 * and so is text that Postgres cannot store, in whatever field.
 */
class BodyOrQueryPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
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

function fieldErrors(error: ValidationError, parent: string): FieldError[] {
  const field = parent === '' ? error.property : `${parent}.${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([name, message]) => ({
    field,
    message: name === 'whitelistValidation' ? 'is not a field of this request' : message,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, field))];
}
