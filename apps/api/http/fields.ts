import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  NotEquals,
  registerDecorator,
  ValidateIf,
  type ValidationOptions,
} from 'class-validator';
import { ExactNumber, findForbiddenKey, isCurrency, parseDecimal, parseInstant } from '#libs/core';

/*
 * One decorator per kind of field: what is accepted, what the error says, and what the OpenAPI document shows
 * are said once. Messages name what is expected, not what was wrong.
 */

interface FieldOptions {
  /** May be left out. */
  optional?: boolean;
  /** May be null. */
  nullable?: boolean;
  description?: string;
  example?: unknown;
}

function field(
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
    ...presence,
    ...rules,
  );
}

/**
 * Text of `min` (default 1) to `max` characters, without control characters (tabs and line breaks are kept). With
 * `blank: true` it may be nothing but spaces, as a password may.
 */
export function TextField(
  options: FieldOptions & { min?: number; max: number; blank?: boolean },
): PropertyDecorator {
  const { min = 1, max, blank = false } = options;
  const message = `must be text of ${min} to ${max} characters`;
  return field(
    options,
    { type: String, minLength: min, maxLength: max },
    IsString({ message }),
    MinLength(min, { message }),
    MaxLength(max, { message }),
    ...(blank ? [] : [Matches(/\S/, { message: 'must not be blank' })]),
    // A NUL byte cannot be stored in Postgres; the other control characters have no business in a name.
    // eslint-disable-next-line no-control-regex
    Matches(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, {
      message: 'must not have control characters',
    }),
  );
}

/** An id: letters, digits and `_ . : -`, up to 128 characters. */
export function IdField(options: FieldOptions = {}): PropertyDecorator {
  const message = 'must be 1 to 128 letters, digits or _ . : -';
  return field(
    options,
    { type: String, maxLength: 128, pattern: '^[A-Za-z0-9_.:-]+$' },
    Matches(/^[A-Za-z0-9_.:-]{1,128}$/, { message }),
  );
}

export function EmailField(options: FieldOptions = {}): PropertyDecorator {
  const message = 'must be an e-mail address of at most 254 characters';
  return field(
    options,
    { type: String, format: 'email', maxLength: 254 },
    IsEmail({}, { message }),
    MaxLength(254, { message }),
  );
}

/**
 * An id that the client chooses, for a resource's own path. A path swallows `.` and `..`, so that nothing under them
 * could be reached.
 */
export function ChosenIdField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    IdField(options),
    NotEquals('.', { message: 'must not be . alone' }),
    NotEquals('..', { message: 'must not be .. alone' }),
  );
}

/** A three-letter ISO 4217 code, in upper case. */
export function CurrencyField(options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    { type: String, pattern: '^[A-Z]{3}$', example: options.example ?? 'USD' },
    rule('isCurrency', (value) => typeof value === 'string' && isCurrency(value), {
      message: 'must be a three-letter ISO 4217 currency code in upper case, such as USD',
    }),
  );
}

/** An IANA time zone. */
export function TimezoneField(options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    { type: String, example: options.example ?? 'Europe/Berlin' },
    rule('isTimezone', (value) => typeof value === 'string' && isTimezone(value), {
      message: 'must be an IANA time zone, such as Europe/Berlin',
    }),
  );
}

function isTimezone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{1,63}$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== undefined;
  } catch {
    return false;
  }
}

/**
 * An ISO 8601 timestamp with an offset or Z; the property is an Instant (UTC, milliseconds). In a query string
 * (`query: true`) the plus of an offset is a space unless it was escaped, and is read as the plus that it was.
 */
export function InstantField(options: FieldOptions & { query?: boolean } = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => {
      if (typeof value !== 'string') return value as unknown;
      return parseInstant(options.query ? value.replace(/ (?=\d\d:?\d\d$)/, '+') : value) ?? value;
    }),
    field(
      options,
      { type: String, format: 'date-time', example: options.example ?? '2026-01-31T00:00:00Z' },
      rule('isInstant', (value) => typeof value === 'string' && parseInstant(value) !== undefined, {
        message: 'must be an ISO 8601 timestamp with a time zone, such as 2026-01-31T00:00:00Z',
      }),
    ),
  );
}

/** The end of the present period, in the place of an instant. */
export const PERIOD_END = 'period_end';

/** An ISO 8601 timestamp, which becomes an Instant, or `period_end`. */
export function MomentField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) =>
      typeof value === 'string' ? (parseInstant(value) ?? value) : (value as unknown),
    ),
    field(
      options,
      { type: String, example: options.example ?? '2026-01-31T00:00:00Z' },
      rule(
        'isMoment',
        (value) => typeof value === 'string' && (value === PERIOD_END || parseInstant(value) !== undefined),
        {
          message: `must be an ISO 8601 timestamp with a time zone, such as 2026-01-31T00:00:00Z, or "${PERIOD_END}"`,
        },
      ),
    ),
  );
}

export function BooleanField(options: FieldOptions = {}): PropertyDecorator {
  return field(options, { type: Boolean }, IsBoolean({ message: 'must be true or false' }));
}

export function ChoiceField<T extends string>(
  values: readonly T[],
  options: FieldOptions = {},
): PropertyDecorator {
  return field(
    options,
    { type: String, enum: [...values] },
    IsIn(values, { message: `must be one of ${values.join(', ')}` }),
  );
}

/** A whole number. In a query string (`query: true`) it is read from text. */
export function IntegerField(
  options: FieldOptions & { min: number; max: number; query?: boolean },
): PropertyDecorator {
  const { min, max } = options;
  const message = `must be a whole number from ${min} to ${max}`;
  return applyDecorators(
    ...(options.query
      ? [
          Transform(({ value }) =>
            typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : (value as unknown),
          ),
        ]
      : []),
    field(
      options,
      { type: 'integer', minimum: min, maximum: max },
      IsInt({ message }),
      Min(min, { message }),
      Max(max, { message }),
    ),
  );
}

/** A JSON number that is kept exact: the property is a DecimalString. At most 20 digits before and 18 after the point. */
export function DecimalField(
  options: FieldOptions & { min?: number; above?: number; max?: number } = {},
): PropertyDecorator {
  const bounds = [
    options.above === undefined ? '' : ` above ${options.above}`,
    options.min === undefined ? '' : ` of at least ${options.min}`,
    options.max === undefined ? '' : ` and at most ${options.max}`,
  ].join('');
  return applyDecorators(
    Transform(({ value }) => decimalText(value) ?? (value as unknown)),
    field(
      options,
      { type: Number, minimum: options.min ?? options.above, maximum: options.max },
      rule(
        'isDecimal',
        (value) => {
          const decimal =
            typeof value === 'string' && DECIMAL_TEXT.test(value) ? parseDecimal(value) : undefined;
          if (!decimal) return false;
          if (options.min !== undefined && decimal.lt(options.min)) return false;
          if (options.above !== undefined && decimal.lte(options.above)) return false;
          return options.max === undefined || decimal.lte(options.max);
        },
        { message: `must be a number${bounds}, with at most 20 digits before and 18 after the point` },
      ),
    ),
  );
}

/** A list of JSON numbers that are kept exact: the property is a list of DecimalStrings, with the digits of a DecimalField. */
export function DecimalListField(options: FieldOptions & { min?: number; max: number }): PropertyDecorator {
  const { min = 0, max } = options;
  return applyDecorators(
    Transform(({ value }) =>
      Array.isArray(value) ? value.map((one: unknown) => decimalText(one) ?? one) : (value as unknown),
    ),
    field(
      options,
      { type: Number, isArray: true, minItems: min, maxItems: max },
      rule(
        'isDecimalList',
        (value) =>
          Array.isArray(value) &&
          value.length >= min &&
          value.length <= max &&
          value.every((one: unknown) => typeof one === 'string' && DECIMAL_TEXT.test(one)),
        {
          message: `must be a list of ${min} to ${max} numbers, with at most 20 digits before and 18 after the point`,
        },
      ),
    ),
  );
}

/** Marks text that came as a JSON number; a JSON string of digits is not a number. */
const DECIMAL_TEXT = /^-?\d{1,20}(?:\.\d{1,18})?$/;

function decimalText(value: unknown): string | undefined {
  const text =
    typeof value === 'number' ? String(value) : value instanceof ExactNumber ? value.text : undefined;
  const decimal = text === undefined ? undefined : parseDecimal(text);
  if (decimal) return decimal.isZero() ? '0' : decimal.toFixed();
  // A string of digits must not pass for a number: mark it as what it is.
  return typeof value === 'string' ? `"${value}"` : undefined;
}

/** Free key-value pairs: at most 50 keys of 64 characters, 5 levels and 16 KiB as JSON, numbers within doubles. */
export function MetadataField(options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    { type: 'object', additionalProperties: true },
    rule('isMetadata', isMetadata, {
      message:
        'must be an object of at most 50 keys of up to 64 characters, 5 levels deep and 16 KiB as JSON, with numbers that ' +
        'a double holds exactly (send others as text)',
    }),
  );
}

function isMetadata(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  if (keys.length > 50 || keys.some((key) => key.length > 64 || key === '')) return false;
  return (
    findForbiddenKey(value, 5) === undefined && !hasInexact(value) && JSON.stringify(value).length <= 16_384
  );
}

/** Events and rows keep free JSON as it is written for a double, so a number that is more would come back changed. */
function hasInexact(value: unknown): boolean {
  if (value instanceof ExactNumber) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInexact);
}

/** A list of ids. */
export function IdListField(options: FieldOptions & { min?: number; max: number }): PropertyDecorator {
  const { min = 0, max } = options;
  const message = `must be a list of ${min} to ${max} ids`;
  return field(
    options,
    { type: String, isArray: true, maxItems: max, minItems: min },
    IsArray({ message }),
    ArrayMinSize(min, { message }),
    ArrayMaxSize(max, { message }),
    Matches(/^[A-Za-z0-9_.:-]{1,128}$/, {
      each: true,
      message: 'must have ids of 1 to 128 letters, digits or _ . : -',
    }),
  );
}

/** A rule of one's own, for what the decorators above do not cover. The message says what is expected. */
export function RuleField(
  name: string,
  schema: ApiPropertyOptions,
  isValid: (value: unknown, object: object) => boolean,
  options: FieldOptions & { message: string },
): PropertyDecorator {
  return field(options, schema, rule(name, isValid, { message: options.message }));
}

function rule(
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
