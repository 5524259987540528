import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { fieldDecorator, ruleDecorator, type FieldOptions } from './field.js';

/** An object with its own fields, which their decorators check. The error names a wrong field by its path. */
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
