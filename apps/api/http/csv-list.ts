import { InvalidRequest, toCsv, type ListOrder, type ListPart } from '#libs/kernel/core';
import type { FastifyReply } from 'fastify';
import { ByteOrderMarkField, csvAnswer, FormatField } from './csv.js';
import { IntegerField } from './fields/index.js';
import { PageQuery, readPage, type ListPage } from './page.js';

/** The largest number of entries in one JSON response of a list that can also be a CSV file. */
const MAX_JSON_ENTRIES = 1_000;
/** The largest number of entries in one CSV response of a list. */
const MAX_CSV_ENTRIES = 10_000;

/** The query parameters of a list that answers with JSON or CSV. */
export class CsvPageQuery extends PageQuery {
  @IntegerField({
    min: 1,
    max: MAX_CSV_ENTRIES,
    query: true,
    optional: true,
    description: `The largest number of entries in the response: up to ${MAX_JSON_ENTRIES} as JSON, ${MAX_CSV_ENTRIES} as CSV.`,
  })
  override limit: number = 100;

  @FormatField()
  format: 'json' | 'csv' = 'json';

  @ByteOrderMarkField()
  bom: boolean = false;
}

/** The name of a CSV file without `.csv`, and its columns. The cells of `amounts` are decimal numbers. */
export interface CsvListFile<Column extends string, Row> {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly amounts: readonly Column[];
  /** Undefined leaves the entry out, as `present` of {@link listAnswer} does. */
  readonly rowOf: (row: Row) => Readonly<Record<Column, string | number | boolean | null>> | undefined;
}

/**
 * Answers with one page of a list, as JSON or as a CSV file. The cursor of the next page of a CSV file is in the header `Next`. An entry for
 * which `present` returns undefined is left out, and the list goes on after it. Throws InvalidRequest if the page is too large for JSON.
 */
export async function listAnswer<Row, Shown, Column extends string>(
  reply: FastifyReply,
  { format, bom, limit, offset, after }: CsvPageQuery,
  order: ListOrder<NoInfer<Row>>,
  read: (part: ListPart) => Promise<readonly Row[]>,
  { present, file }: { present: (row: Row) => Shown | undefined; file: CsvListFile<Column, Row> },
): Promise<ListPage<Shown> | string> {
  if (format === 'json' && limit > MAX_JSON_ENTRIES)
    throw InvalidRequest.field(
      'limit',
      `must be a whole number from 1 to ${MAX_JSON_ENTRIES}, or the format csv`,
    );
  const page = { limit, offset, after };
  if (format === 'json') {
    const { data: shown, ...rest } = await readPage(page, order, read, present);
    return { data: shown.filter((entry) => entry !== undefined), ...rest };
  }
  const { data, next } = await readPage(page, order, read, file.rowOf);
  if (next !== undefined) void reply.header('Next', next);
  const rows = data.filter((row) => row !== undefined);
  return csvAnswer(reply, { name: file.name, bom }, toCsv(file.columns, rows, file.amounts));
}
