import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { parseInstant, parseInstantOrDate, type Instant } from '#libs/kernel/core';
import { fieldDecorator, ruleDecorator, type FieldOptions } from './field.js';

/** The accepted forms of an instant, for error messages. */
const FORMS =
  'a date such as 2026-01-31, or a timestamp with a time zone such as 2026-01-31T00:00:00Z (ISO 8601), from 1900 to 2999';

/**
 * An ISO 8601 timestamp with an offset or Z. The property of the DTO is an Instant (UTC, milliseconds). A date without a time is read as
 * midnight UTC.
 *
 * - `query`: for query strings. In a query string, an unescaped plus sign arrives as a space, so the space is read as a plus sign.
 * - `dates`: a date without a time (`2026-01-31`) stays a date instead, because the first moment of a day depends on a time zone.
 * - `after` names the property with the start of a time range. This field is then the first moment after the range.
 * - `notBefore` names the property with the start of a time range. This field is then the last moment of the range.
 */
export function InstantField(
  options: FieldOptions & { query?: boolean; dates?: boolean; after?: string; notBefore?: string } = {},
): PropertyDecorator {
  const { after, notBefore } = options;
  const parse = options.dates ? parseInstantOrDate : parseInstant;
  return applyDecorators(
    Transform(({ value }) => {
      if (typeof value !== 'string') return value as unknown;
      return (options.query ? readQueryMoment(value, parse) : parse(value)) ?? value;
    }),
    fieldDecorator(
      options,
      {
        type: String,
        ...(options.dates ? {} : { format: 'date-time' }),
        example: options.example ?? '2026-01-31T00:00:00Z',
      },
      ruleDecorator('isInstant', (value) => typeof value === 'string' && parseInstant(value) !== undefined, {
        message: `must be ${FORMS}`,
      }),
      ...(after === undefined ? [] : [endRule(`must be after ${after}`, after, (end, start) => end > start)]),
      ...(notBefore === undefined
        ? []
        : [endRule(`must not be before ${notBefore}`, notBefore, isNotBefore)]),
    ),
  );
}

/** Reads a moment of a query string, in which the plus sign of an offset arrives as a space. */
export function readQueryMoment(
  text: string,
  parse: (text: string) => string | undefined,
): string | undefined {
  return parse(text.replace(/ (?=\d\d:?\d\d$)/, '+'));
}

/**
 * Whether a range does not end before it begins. A date and an instant are compared by their days. They may be a day apart, because the
 * beginning of a date depends on a time zone.
 */
function isNotBefore(end: string, start: string): boolean {
  if (end.length === start.length) return end >= start;
  const dayBefore = new Date(Date.parse(start.slice(0, 10)) - 86_400_000).toISOString().slice(0, 10);
  return end.slice(0, 10) >= dayBefore;
}

/**
 * A rule for the end of a time range. The rule accepts any end if the start is missing or invalid, because the start has a rule of its own.
 */
function endRule(
  message: string,
  startName: string,
  isEnd: (end: Instant, start: Instant) => boolean,
): PropertyDecorator {
  const startOf = (object: object): unknown => (object as Record<string, unknown>)[startName];
  return ruleDecorator(
    'isEndOfTime',
    (end, object) => {
      const start = startOf(object);
      if (typeof start !== 'string' || parseInstant(start) === undefined) return true;
      return typeof end !== 'string' || parseInstant(end) === undefined || isEnd(end, start);
    },
    {
      message: ({ object, property, value }) => {
        const start = String(startOf(object));
        return `${message}, ${start}${value === start ? `; ${endDoesNotCount(property)}` : ''}`;
      },
    },
  );
}

/** What an error says of a range of time that would be empty, because its end is the first moment after it. */
export function endDoesNotCount(name: string): string {
  return `${name} itself does not count, so give a later time`;
}

/** The text that a request sends for the end of the present period, in place of an instant. */
export const PERIOD_END = 'period_end';

/** An ISO 8601 timestamp or a date, which is converted to an Instant, or the text `period_end`. */
export function InstantOrPeriodEndField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) =>
      typeof value === 'string' ? (parseInstant(value) ?? value) : (value as unknown),
    ),
    fieldDecorator(
      options,
      { type: String, example: options.example ?? '2026-01-31T00:00:00Z' },
      ruleDecorator(
        'isMoment',
        (value) => typeof value === 'string' && (value === PERIOD_END || parseInstant(value) !== undefined),
        {
          message: `must be ${FORMS}, or "${PERIOD_END}"`,
        },
      ),
    ),
  );
}
