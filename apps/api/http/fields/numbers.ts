import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { decimalFromJson, decimalString, parseDecimal } from '#libs/kernel/core';
import { decimalSchema } from '../openapi/decimal.js';
import { fieldDecorator, ruleDecorator, type FieldOptions } from './field.js';

/** A whole number. In a query string (`query: true`), the number is read from text. */
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
    fieldDecorator(
      options,
      { type: 'integer', minimum: min, maximum: max },
      IsInt({ message }),
      Min(min, { message }),
      Max(max, { message }),
    ),
  );
}

/** A list of whole numbers from `min` to `max`. */
export function IntegerListField(
  options: FieldOptions & { min: number; max: number; minLength: number; maxLength: number },
): PropertyDecorator {
  const { min, max, minLength, maxLength } = options;
  return fieldDecorator(
    options,
    {
      type: 'array',
      items: { type: 'integer', minimum: min, maximum: max },
      minItems: minLength,
      maxItems: maxLength,
    },
    ruleDecorator(
      'isIntegerList',
      (value) =>
        Array.isArray(value) &&
        value.length >= minLength &&
        value.length <= maxLength &&
        value.every((one: unknown) => Number.isInteger(one) && min <= Number(one) && Number(one) <= max),
      { message: `must be a list of ${minLength} to ${maxLength} whole numbers, each from ${min} to ${max}` },
    ),
  );
}

/**
 * A JSON number that is kept exactly, without rounding to a double. The property of the DTO is a DecimalString with at most 20 digits
 * before and 18 digits after the decimal point. In a query string (`query: true`), the number is read from text.
 */
export function DecimalField(
  options: FieldOptions & { min?: number; above?: number; max?: number; query?: boolean } = {},
): PropertyDecorator {
  const bounds = [
    options.above === undefined ? '' : ` above ${options.above}`,
    options.min === undefined ? '' : ` of at least ${options.min}`,
    options.max === undefined ? '' : ` and at most ${options.max}`,
  ].join('');
  return applyDecorators(
    Transform(
      ({ value }) => (options.query ? decimalOfQuery(value) : decimalText(value)) ?? (value as unknown),
    ),
    fieldDecorator(
      options,
      decimalSchema({
        ...options,
        ...((options.min ?? options.above) === undefined ? { above: -MAX_DECIMAL } : {}),
        ...(options.max === undefined ? { below: MAX_DECIMAL } : {}),
      }),
      ruleDecorator(
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

/**
 * A list of JSON numbers that are kept exactly, without rounding to doubles. The property of the DTO is a list of DecimalStrings with the
 * same digit limits as a DecimalField.
 */
export function DecimalListField(options: FieldOptions & { min?: number; max: number }): PropertyDecorator {
  const { min = 0, max } = options;
  return applyDecorators(
    Transform(({ value }) =>
      Array.isArray(value) ? value.map((one: unknown) => decimalText(one) ?? one) : (value as unknown),
    ),
    fieldDecorator(
      options,
      {
        type: 'array',
        items: decimalSchema({ above: -MAX_DECIMAL, below: MAX_DECIMAL }),
        minItems: min,
        maxItems: max,
      },
      ruleDecorator(
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

/** The smallest number with more than 20 digits before the decimal point. */
const MAX_DECIMAL = 1e20;

/** Matches the text of a JSON number. A JSON string of digits still has its quotes, so it does not match. */
const DECIMAL_TEXT = /^-?\d{1,20}(?:\.\d{1,18})?$/;

/** Reads a number from a query string. Returns undefined if the text is not a number. Validation then refuses the text. */
function decimalOfQuery(value: unknown): string | undefined {
  const decimal = typeof value === 'string' ? parseDecimal(value) : undefined;
  return decimal && decimalString(decimal);
}

function decimalText(value: unknown): string | undefined {
  const decimal = decimalFromJson(value);
  if (decimal) return decimal.isZero() ? '0' : decimal.toFixed();
  // A JSON string of digits must not be treated as a number, so it keeps its quotes.
  return typeof value === 'string' ? `"${value}"` : undefined;
}
