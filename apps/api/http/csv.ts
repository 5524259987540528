import { applyDecorators } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { BYTE_ORDER_MARK } from '#libs/kernel/core';
import { ruleDecorator } from './fields/field.js';
import { BooleanField, ChoiceField } from './fields/index.js';

/** The query parameter `format` of an endpoint whose answer can be a CSV file. */
export function FormatField(): PropertyDecorator {
  return ChoiceField(['json', 'csv'], { optional: true, description: '`csv` downloads a file.' });
}

/**
 * The query parameter `bom` of an endpoint that can answer with CSV. It is refused with a `format` that has no CSV file.
 *
 * @param format the value of the parameter `format` with which the answer is, or has, a CSV file
 */
export function ByteOrderMarkField(format = 'csv'): PropertyDecorator {
  return applyDecorators(
    BooleanField({
      query: true,
      optional: true,
      description:
        'Whether a CSV file begins with a byte order mark. Excel reads other letters than ASCII correctly only with this mark. ' +
        `Only with \`format=${format}\`.`,
    }),
    ruleDecorator(
      'hasCsv',
      (value, object) => value !== true || (object as { format?: string }).format === format,
      {
        message: `needs format=${format}; leave it out, or add format=${format}`,
      },
    ),
  );
}

/** The query parameters of an endpoint that answers with JSON or CSV. */
export class CsvQuery {
  @FormatField()
  format: 'json' | 'csv' = 'json';

  @ByteOrderMarkField()
  bom: boolean = false;
}

/** The content of an OpenAPI answer that is the view as JSON, or a CSV file. */
export function jsonOrCsv(view: Parameters<typeof getSchemaPath>[0]) {
  return {
    content: {
      'application/json': { schema: { $ref: getSchemaPath(view) } },
      'text/csv': { schema: { type: 'string' } },
    },
  } as const;
}

/**
 * Sets the headers of a CSV file that is downloaded, and returns the body of the answer.
 *
 * @param file its name without `.csv`, and whether it begins with a byte order mark
 */
export function csvAnswer(reply: FastifyReply, file: { name: string; bom: boolean }, text: string): string {
  void reply
    .type('text/csv; charset=utf-8; header=present')
    .header('Content-Disposition', `attachment; filename="${file.name}.csv"`);
  return file.bom ? `${BYTE_ORDER_MARK}${text}` : text;
}
