import { isCurrency } from '#libs/kernel/core';
import { fieldDecorator, ruleDecorator, type FieldOptions } from './field.js';

/** A three-letter ISO 4217 code, in upper case. */
export function CurrencyField(options: FieldOptions = {}): PropertyDecorator {
  return fieldDecorator(
    options,
    { type: String, pattern: '^[A-Z]{3}$', example: options.example ?? 'USD' },
    ruleDecorator('isCurrency', (value) => typeof value === 'string' && isCurrency(value), {
      message: 'must be a three-letter ISO 4217 currency code in upper case, such as USD',
    }),
  );
}

/** An IANA time zone. */
export function TimezoneField(options: FieldOptions = {}): PropertyDecorator {
  return fieldDecorator(
    options,
    { type: String, example: options.example ?? 'Europe/Berlin' },
    ruleDecorator('isTimezone', (value) => typeof value === 'string' && isTimezone(value), {
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
