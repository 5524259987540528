import { fieldDecorator, ruleDecorator, type FieldOptions } from './field.js';

const MONTH = /^2\d{3}-(0[1-9]|1[0-2])$/;

/** A calendar month from the year 2000 on, such as `2026-01`. */
export function MonthField(options: FieldOptions = {}): PropertyDecorator {
  return fieldDecorator(
    options,
    { type: String, pattern: '^2[0-9]{3}-(0[1-9]|1[0-2])$', example: options.example ?? '2026-01' },
    ruleDecorator('isMonth', (value) => typeof value === 'string' && MONTH.test(value), {
      message: 'must be a month, such as 2026-01',
    }),
  );
}
