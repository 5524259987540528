import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { isBIC, isIBAN, isISO31661Alpha2 } from 'class-validator';
import { readVatId } from '#libs/kernel/core';
import { fieldDecorator, ruleDecorator, type FieldOptions } from './field.js';

/** A two-letter ISO 3166-1 code, in upper case. */
export function CountryField(options: FieldOptions = {}): PropertyDecorator {
  return fieldDecorator(
    options,
    { type: String, pattern: '^[A-Z]{2}$', example: options.example ?? 'DE' },
    ruleDecorator('isCountry', (value) => /^[A-Z]{2}$/.test(String(value)) && isISO31661Alpha2(value), {
      message: 'must be a two-letter ISO 3166-1 country code in upper case, such as DE',
    }),
  );
}

/** A VAT identification number. The property of the DTO holds the number without spaces, dots and hyphens. */
export function VatIdField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    written((text) => readVatId(text) ?? text),
    fieldDecorator(
      options,
      { type: String, example: options.example ?? 'DE123456789' },
      ruleDecorator('isVatId', (value) => typeof value === 'string' && readVatId(value) !== undefined, {
        message:
          'must be a VAT identification number as its country writes it, with the code of the country in front, such as DE123456789',
      }),
    ),
  );
}

/** An IBAN with correct check digits. The property of the DTO holds the IBAN without spaces. */
export function IbanField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    written(withoutSpaces),
    fieldDecorator(
      options,
      { type: String, example: options.example ?? 'DE89370400440532013000' },
      ruleDecorator('isIban', isIBAN, { message: 'must be an IBAN with the right check digits' }),
    ),
  );
}

/** A BIC (SWIFT code) of 8 or 11 characters. */
export function BicField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    written(withoutSpaces),
    fieldDecorator(
      options,
      { type: String, example: options.example ?? 'COBADEFFXXX' },
      ruleDecorator('isBic', (value) => typeof value === 'string' && isBIC(value), {
        message: 'must be a BIC of 8 or 11 letters and digits, such as COBADEFFXXX',
      }),
    ),
  );
}

const withoutSpaces = (text: string) => text.replace(/\s/g, '').toUpperCase();

/** Converts the text of a field into the form that is stored. */
function written(normalise: (text: string) => string): PropertyDecorator {
  return Transform(({ value }) => (typeof value === 'string' ? normalise(value) : (value as unknown)));
}
