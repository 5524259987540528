import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { field, rule, type FieldOptions } from './field.js';

/** An object with fields of its own, checked by their decorators; a wrong one is named with the path to it. */
export function ObjectField(
  type: () => new () => object,
  options: Pick<FieldOptions, 'optional' | 'nullable' | 'description'> = {},
): PropertyDecorator {
  const message = 'must be an object';
  return applyDecorators(
    Type(type),
    field(
      options,
      // By its name the OpenAPI document tells a function that answers a class from a class.
      { type: () => type() },
      ValidateNested({ message }),
      // Which would let a list of such objects pass.
      rule('isNoList', (value) => !Array.isArray(value), { message }),
    ),
  );
}
