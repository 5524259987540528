import { ApiProperty } from '@nestjs/swagger';
import { SINGLE_LINE_TEXT } from '#libs/kernel/core';
import { RuleField, type FieldOptions } from './field.js';

const MAX_FIELDS = 4;
const MAX_NAME = 40;
const MAX_VALUE = 140;

/** A name and a value that invoices and credit notes print. */
export class CustomFieldView {
  @ApiProperty({ example: 'Cost center', description: 'The name.' }) name: string;
  @ApiProperty({ example: '4711', description: 'The value that is printed beside the name.' }) value: string;
}

/** Up to four custom fields, each with a name and a value of one line. Documents print the fields in the order of the list. */
export function CustomFieldsField(options: FieldOptions = {}): PropertyDecorator {
  const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
  return RuleField(
    'isCustomFieldList',
    {
      type: 'array',
      maxItems: MAX_FIELDS,
      items: {
        type: 'object',
        required: ['name', 'value'],
        properties: {
          name: { ...text(MAX_NAME), description: 'The name.', example: 'Cost center' },
          value: {
            ...text(MAX_VALUE),
            description: 'The value that is printed beside the name.',
            example: '4711',
          },
        },
        additionalProperties: false,
      },
      example: [{ name: 'Cost center', value: '4711' }],
    },
    (value) => Array.isArray(value) && value.length <= MAX_FIELDS && value.every(isCustomField),
    {
      ...options,
      message: ({ value }) => {
        const unknown = unknownFieldIn(value);
        const prefix = unknown === undefined ? '' : `${unknown} is not a field of a custom field; it `;
        return (
          `${prefix}must be a list of at most ${MAX_FIELDS} objects {"name": "Cost center", "value": "4711"}: ` +
          `names of 1 to ${MAX_NAME} and values of 1 to ${MAX_VALUE} characters, each on one line`
        );
      },
    },
  );
}

/** Returns the name of the first field that a custom field does not have, if there is one. */
function unknownFieldIn(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter((one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one))
    .flatMap((one: object) => Object.keys(one))
    .find((name) => name !== 'name' && name !== 'value');
}

function isCustomField(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { name, value: said } = value as Record<string, unknown>;
  return isLine(name, MAX_NAME) && isLine(said, MAX_VALUE);
}

function isLine(text: unknown, max: number): boolean {
  return typeof text === 'string' && text.length <= max && /\S/.test(text) && SINGLE_LINE_TEXT.test(text);
}
