import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { rememberField } from '../openapi/defaults.js';
import {
  registerDecorator,
  ValidateIf,
  type ValidationArguments,
  type ValidationOptions,
} from 'class-validator';

/*
 * One decorator per kind of field. Each decorator defines in one place which values are accepted, the error message, and the part of the
 * OpenAPI document. An error message says what is expected, not what was wrong.
 */

export interface FieldOptions {
  /** The field may be left out. */
  optional?: boolean;
  /** The field may be null. */
  nullable?: boolean;
  description?: string;
  example?: unknown;
}

/** Combines the rules of a field with its part of the OpenAPI document. The rules are skipped for a value that may be missing or null. */
export function fieldDecorator(
  options: FieldOptions,
  schema: ApiPropertyOptions,
  ...rules: PropertyDecorator[]
): PropertyDecorator {
  const api = {
    description: options.description,
    example: options.example,
    ...(options.nullable ? { nullable: true } : {}),
    ...schema,
  } as ApiPropertyOptions;
  const presence: PropertyDecorator[] = [];
  if (options.optional || options.nullable)
    presence.push(
      ValidateIf(
        (_, value) => !(options.optional && value === undefined) && !(options.nullable && value === null),
      ),
    );
  return applyDecorators(
    options.optional ? ApiPropertyOptional(api) : ApiProperty(api),
    noted,
    ...presence,
    ...rules,
  );
}

/**
 * A field with a rule of its own, which the other decorators do not cover. The value of the field is not converted. The error message says
 * what is expected.
 */
export function RuleField(
  name: string,
  schema: ApiPropertyOptions,
  isValid: (value: unknown, object: object) => boolean,
  options: FieldOptions & { message: string | ((args: ValidationArguments) => string) },
): PropertyDecorator {
  return fieldDecorator(
    options,
    schema,
    asItCame(),
    ruleDecorator(name, isValid, { message: options.message }),
  );
}

/**
 * Keeps the value that the JSON parser returned, without a copy. A copy would lose keys such as `toString`, which JSON without a schema can
 * have.
 */
function asItCame(): PropertyDecorator {
  return Transform(({ obj, key }) => (obj as Record<string, unknown>)[key]);
}

/** Makes the validation decorator of one rule. `isValid` receives the value of the field and the object that has the field. */
export function ruleDecorator(
  name: string,
  isValid: (value: unknown, object: object) => boolean,
  options: ValidationOptions,
): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: propertyName as string,
      options,
      validator: { validate: (value: unknown, args) => isValid(value, args?.object ?? {}) },
    });
}

const noted: PropertyDecorator = (target, name) =>
  rememberField(target.constructor as new () => object, name as string);
