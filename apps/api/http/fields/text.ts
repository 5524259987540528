import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  isEmail,
  IsIn,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateBy,
} from 'class-validator';
import {
  emailProblem,
  MULTI_LINE_TEXT,
  SINGLE_LINE_TEXT,
  SINGLE_LINE_TEXT_EXPECTED,
  VISIBLE_NAME,
  VISIBLE_TEXT_EXPECTED,
} from '#libs/kernel/core';
import { closestName } from '../closest-name.js';
import { fieldDecorator, type FieldOptions } from './field.js';

/**
 * Text of `min` (default 1) to `max` characters, without control characters except tabs and line breaks. With `blank: true`, the text may
 * consist of spaces only, as a password may.
 */
export function TextField(options: TextOptions & { blank?: boolean }): PropertyDecorator {
  return textField(options, Matches(MULTI_LINE_TEXT, { message: 'must not have control characters' }));
}

/** Text on one line, of `min` (default 1) to `max` characters, such as a name, an external id or a part of an address. */
export function SingleLineField(options: TextOptions): PropertyDecorator {
  return textField(options, Matches(SINGLE_LINE_TEXT, { message: SINGLE_LINE_TEXT_EXPECTED }));
}

/** The name of a user or a workspace: text on one line without invisible characters. */
export function NameField(options: TextOptions): PropertyDecorator {
  return textField(options, Matches(VISIBLE_NAME, { message: VISIBLE_TEXT_EXPECTED }));
}

type TextOptions = FieldOptions & { min?: number; max: number };

function textField(
  options: TextOptions & { blank?: boolean },
  characters: PropertyDecorator,
): PropertyDecorator {
  const { min = 1, max, blank = false } = options;
  const message = `must be text of ${min} to ${max} characters`;
  return fieldDecorator(
    options,
    { type: String, minLength: min, maxLength: max },
    IsString({ message }),
    MinLength(min, { message }),
    MaxLength(max, { message }),
    ...(blank ? [] : [Matches(/\S/, { message: 'must not be blank' })]),
    characters,
  );
}

/** An e-mail address of at most 254 visible characters. The domain of the e-mail address can use any script, such as Latin or Cyrillic. */
export function EmailField(options: FieldOptions = {}): PropertyDecorator {
  return fieldDecorator(options, { type: String, format: 'email', maxLength: MAX_EMAIL }, IS_EMAIL);
}

const MAX_EMAIL = 254;
const NOT_EMAIL = `must be an e-mail address of at most ${MAX_EMAIL} characters`;
const IS_EMAIL = ValidateBy({
  name: 'isEmail',
  validator: {
    validate: (value) => typeof value === 'string' && emailProblem(value) === undefined && isEmail(value),
    defaultMessage: (given) =>
      (typeof given?.value === 'string' ? emailProblem(given.value) : undefined) ?? NOT_EMAIL,
  },
});

/** A list of up to `max` e-mail addresses. An address that differs only in case from another one is refused. */
export function EmailListField(options: FieldOptions & { max: number }): PropertyDecorator {
  const { max } = options;
  return fieldDecorator(
    options,
    { type: 'array', maxItems: max, items: { type: 'string', format: 'email', maxLength: MAX_EMAIL } },
    ValidateBy({
      name: 'isEmailList',
      validator: {
        validate: (value) => emailListProblem(value, max) === undefined,
        defaultMessage: (given) => emailListProblem(given?.value, max) ?? '',
      },
    }),
  );
}

/** Returns what is wrong with a list of e-mail addresses, or undefined if nothing is. */
function emailListProblem(value: unknown, max: number): string | undefined {
  const expected = `must be a list of at most ${max} e-mail addresses`;
  if (!Array.isArray(value) || value.length > max) return expected;
  for (const [index, address] of (value as unknown[]).entries()) {
    if (typeof address !== 'string') return expected;
    const problem = emailProblem(address) ?? (isEmail(address) ? undefined : NOT_EMAIL);
    if (problem !== undefined) return `[${index}] ${problem}`;
  }
  const addresses = new Set((value as string[]).map((address) => address.toLowerCase()));
  return addresses.size === value.length ? undefined : 'must not have an address twice';
}

/** `true` or `false`. In a query string (`query: true`), the value is read from text. */
export function BooleanField(options: FieldOptions & { query?: boolean } = {}): PropertyDecorator {
  const read = Transform(({ value }) =>
    value === 'true' || value === 'false' ? value === 'true' : (value as unknown),
  );
  return applyDecorators(
    ...(options.query ? [read] : []),
    fieldDecorator(options, { type: Boolean }, IsBoolean({ message: 'must be true or false' })),
  );
}

export function ChoiceField<T extends string>(
  values: readonly T[],
  options: FieldOptions = {},
): PropertyDecorator {
  return fieldDecorator(
    options,
    // A nullable enum must also list null as a value, or JSON Schema does not allow it.
    { type: String, enum: options.nullable ? [...values, null] : [...values] },
    IsIn(values, { message: ({ value }) => mustBeOneOf(values, value) }),
  );
}

/**
 * The maximum number of characters of a list of values in an error message. A longer list is cut. In a list that is cut, the value that the
 * client probably meant comes first.
 */
const LONG_LIST = 250;

function mustBeOneOf(values: readonly string[], given: unknown): string {
  const list = values.join(', ');
  const meant = list.length > LONG_LIST && typeof given === 'string' ? closestName(given, values) : undefined;
  return meant === undefined ? `must be one of ${list}` : `must be ${meant} or another one of ${list}`;
}
