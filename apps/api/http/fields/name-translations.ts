import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { LANGUAGES, SINGLE_LINE_TEXT, type Language } from '#libs/kernel/core';
import { RuleField } from './field.js';

const MAX_NAME = 200;
const EXAMPLE = { de: 'Grundgebühr', fr: 'Frais de base' };

const NAMES: Readonly<Record<Language, readonly [language: string, example: string]>> = {
  en: ['English', 'Base fee'],
  de: ['German', EXAMPLE.de],
  fr: ['French', EXAMPLE.fr],
  es: ['Spanish', 'Cuota básica'],
  ja: ['Japanese', '基本料金'],
};

/** The OpenAPI schema of names by language. */
const SCHEMA = {
  type: 'object',
  properties: Object.fromEntries(
    LANGUAGES.map((code) => {
      const [language, example] = NAMES[code];
      const description = `The name in ${language}. Absent if there is none.`;
      return [code, { type: 'string', minLength: 1, maxLength: MAX_NAME, description, example }];
    }),
  ),
} as ApiPropertyOptions;

/** Names by language, for the documents of customers in that language. */
export function NameTranslationsField(): PropertyDecorator {
  return RuleField('isNameTranslations', SCHEMA, isNameTranslations, {
    optional: true,
    nullable: true,
    example: EXAMPLE,
    message: `must be an object of names of 1 to ${MAX_NAME} characters on one line, by language (${LANGUAGES.join(', ')}), such as {"de": "Grundgebühr"}`,
    description:
      'The name by language, for documents and the portal of customers with this language. Other languages have `name`. The object ' +
      'replaces the former one; null or an empty object removes it.',
  });
}

/** The type of the field `nameTranslations` in responses. */
export function NameTranslationsProperty(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      ...SCHEMA,
      example: EXAMPLE,
      description: 'The name by language. Languages that are left out have `name`.',
    }),
  );
}

function isNameTranslations(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([language, name]: [string, unknown]) =>
      (LANGUAGES as readonly string[]).includes(language) &&
      typeof name === 'string' &&
      name.length <= MAX_NAME &&
      /\S/.test(name) &&
      SINGLE_LINE_TEXT.test(name),
  );
}
