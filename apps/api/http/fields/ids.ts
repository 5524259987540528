import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, Matches, NotEquals } from 'class-validator';
import { fieldDecorator, type FieldOptions } from './field.js';

/** A readable example. Without this example, the API reference would show random text that matches the pattern. */
const EXAMPLE = 'northwind';

/** An id: letters, digits and `_ . : -`, up to 128 characters. */
export function IdField(options: FieldOptions = {}): PropertyDecorator {
  return idField('^[A-Za-z0-9_.:-]+$', options);
}

/** An optional id. Null and an empty text both mean that no id is given, and are read as null. */
export function IdOrEmptyField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (value === '' ? null : (value as unknown))),
    idField('^[A-Za-z0-9_.:-]*$', { ...options, nullable: true }),
  );
}

function idField(pattern: string, options: FieldOptions): PropertyDecorator {
  const message = 'must be 1 to 128 letters, digits or _ . : -';
  return fieldDecorator(
    options,
    { type: String, maxLength: 128, pattern, example: options.example ?? EXAMPLE },
    Matches(/^[A-Za-z0-9_.:-]{1,128}$/, { message }),
  );
}

/**
 * An id that the client chooses, for the path of a resource. The ids `.` and `..` are refused, because URLs resolve them, so no request
 * could reach the resource.
 */
export function ChosenIdField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    IdField(options),
    NotEquals('.', { message: 'must not be . alone' }),
    NotEquals('..', { message: 'must not be .. alone' }),
  );
}

/** A list of permissions, such as `invoices:read`. */
export function PermissionListField(options: FieldOptions): PropertyDecorator {
  const of = 'permissions such as "invoices:read" or "customers:write"';
  return TextListField({ min: 1, max: 100, ...options }, /^[a-z_]{1,50}:(read|write)$/, {
    name: 'permissions',
    of,
  });
}

/** A list of ids. */
export function IdListField(options: FieldOptions & ListLengthLimits): PropertyDecorator {
  const of = 'ids of 1 to 128 letters, digits or _ . : -';
  const example = options.example ?? [EXAMPLE];
  return TextListField({ ...options, example }, /^[A-Za-z0-9_.:-]{1,128}$/, { name: 'ids', of });
}

/** The minimum length of a list (0 by default) and the maximum length. */
export interface ListLengthLimits {
  readonly min?: number;
  readonly max: number;
}

/**
 * A list of texts that match a pattern. `name` and `of` are for the error message: the name of the texts, and a description of the accepted
 * texts.
 */
export function TextListField(
  options: FieldOptions & ListLengthLimits,
  pattern: RegExp,
  { name, of }: { readonly name: string; readonly of: string },
): PropertyDecorator {
  const { min = 0, max } = options;
  const message = `must be a list of ${min} to ${max} ${name}`;
  return fieldDecorator(
    options,
    { type: String, isArray: true, maxItems: max, minItems: min },
    IsArray({ message }),
    ArrayMinSize(min, { message }),
    ArrayMaxSize(max, { message }),
    Matches(pattern, { each: true, message: `must have ${of}` }),
  );
}
