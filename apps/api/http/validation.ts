import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { InvalidRequest, type FieldError } from '#libs/core';

/** Bodies and queries against their DTO: unknown fields are refused, and every wrong field is named. */
export function createValidationPipe(): ValidationPipe {
  return new ValidationPipe({
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

function fieldErrors(error: ValidationError, parent: string): FieldError[] {
  const field = parent === '' ? error.property : `${parent}.${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([name, message]) => ({
    field,
    message: name === 'whitelistValidation' ? 'is not a field of this request' : message,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, field))];
}
