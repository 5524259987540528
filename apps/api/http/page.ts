import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  cursorOf,
  InvalidRequest,
  readCursor,
  type ListKey,
  type ListOrder,
  type ListPart,
} from '#libs/kernel/core';
import { IntegerField, TextField } from './fields/index.js';

/** Longer than the place in any list. */
const MAX_CURSOR_CHARACTERS = 2_000;

/** As it looks like. */
const CURSOR = 'WyJpbnZvaWNlcyIsIjIwMjYtMDItMDFUMDA6MDA6MDAuMDAwWiJd';

/** Where a page of any list begins that goes on behind another. */
export function AfterField(): PropertyDecorator {
  return TextField({
    max: MAX_CURSOR_CHARACTERS,
    optional: true,
    example: CURSOR,
    description:
      'The `next` of the page before, in place of `offset`. It costs the same however far down the list it is, and shows nothing twice ' +
      'if the list grows meanwhile.',
  });
}

/** What every list endpoint takes. */
export class PageQuery {
  @IntegerField({
    min: 1,
    max: 1_000,
    query: true,
    optional: true,
    description: 'Most entries in the answer.',
  })
  limit: number = 100;

  @IntegerField({
    min: 0,
    max: 1_000_000_000,
    query: true,
    optional: true,
    description: 'Entries to leave out first. The more there are, the longer it takes.',
  })
  offset: number = 0;

  @AfterField()
  after?: string;
}

/** What every list answers with, beside its `data`. */
export class ListView {
  @ApiProperty({ description: 'Whether there are entries behind these.', example: false })
  hasMore: boolean;

  @ApiPropertyOptional({
    type: String,
    description: 'Where there are entries behind these: what `after` is to be for the next page.',
    example: CURSOR,
  })
  next?: string;
}

/** The page that is asked for. */
export interface Page {
  limit: number;
  offset: number;
  after?: string | undefined;
}

/** A list as it is answered. */
export interface List<Shown> {
  data: Shown[];
  hasMore: boolean;
  next?: string;
}

/**
 * `{ data: […], hasMore, next }`, as every list is answered. It reads one entry more than it shows: whether there is one tells
 * whether there are more, and costs no count. InvalidRequest where `after` is no place in the list.
 */
export async function listOf<Row, Shown>(
  page: Page,
  order: ListOrder<NoInfer<Row>>,
  read: (part: ListPart) => Promise<readonly Row[]> | readonly Row[],
  present: (row: Row) => Shown,
): Promise<List<Shown>> {
  const { limit, ...from } = partOf(page, order);
  const rows = await read({ limit: limit + 1, ...from });
  const data = rows.slice(0, limit).map(present);
  if (rows.length <= limit) return { data, hasMore: false };
  return { data, hasMore: true, next: cursorOf(order, order.keyOf(rows[limit - 1]!)) };
}

/** A list that is in memory as a whole, in its order. */
interface Whole<Row> {
  /** What it lists, so that a place in one list is none in another. */
  readonly list: string;
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
}

/** The same of a list that is in memory as a whole. It goes on behind the last entry shown, or where that was if it is gone. */
export function listIn<Row, Shown>(
  page: Page,
  { list, rows, idOf }: Whole<Row>,
  present: (row: Row) => Shown,
): List<Shown> {
  const order = { list, parts: ['text', 'integer'] } as const;
  const { limit, offset, after } = partOf(page, order);
  const start = after === undefined ? offset : startBehind(after, rows.map(idOf));
  const end = start + limit;
  const data = rows.slice(start, end).map(present);
  if (rows.length <= end) return { data, hasMore: false };
  return { data, hasMore: true, next: cursorOf(order, [idOf(rows[end - 1]!), String(end - 1)]) };
}

function startBehind([id, place]: ListKey, ids: readonly string[]): number {
  const found = ids.indexOf(id);
  return found === -1 ? Number(place) : found + 1;
}

function partOf({ limit, offset, after }: Page, order: Omit<ListOrder<never>, 'keyOf'>): ListPart {
  if (after === undefined) return { limit, offset };
  if (offset > 0)
    throw InvalidRequest.field('after', 'cannot be combined with offset; leave out one of them');
  return { limit, offset, after: readCursor(order, after) };
}
