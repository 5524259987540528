import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateNested } from 'class-validator';
import { fieldDecorator, ruleDecorator, type FieldOptions } from './field.js';

/** An object whose fields are checked by their own decorators. The error message names a wrong field by its path. */
export function ObjectField(
  type: () => new () => object,
  options: Pick<FieldOptions, 'optional' | 'nullable' | 'description'> = {},
): PropertyDecorator {
  const message = 'must be an object';
  return applyDecorators(
    Type(type),
    fieldDecorator(
      options,
      // The name `type` matters: the OpenAPI document uses it to tell a function that returns a class from a class.
      { type: () => type() },
      ValidateNested({ message }),
      // `ValidateNested` alone would accept a list of such objects.
      ruleDecorator('isNoList', (value) => !Array.isArray(value), { message }),
    ),
  );
}

/** A list of objects with their own fields. The error message names a wrong field by its path, such as `steps[1].afterDays`. */
export function ObjectListField(
  type: () => new () => object,
  { min, max, ...options }: Pick<FieldOptions, 'optional' | 'description'> & { min: number; max: number },
): PropertyDecorator {
  const message = `must be a list of ${min} to ${max} objects`;
  return applyDecorators(
    Type(type),
    fieldDecorator(
      options,
      { type: () => type(), isArray: true, minItems: min, maxItems: max },
      IsArray({ message }),
      ArrayMinSize(min, { message }),
      ArrayMaxSize(max, { message }),
      ValidateNested({ each: true, message: 'must be a list of objects' }),
    ),
  );
}
