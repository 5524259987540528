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

/** The maximum length of a cursor in a request; no valid cursor is longer. */
const MAX_CURSOR_CHARACTERS = 2_000;

/** An example of a cursor. */
const CURSOR = 'WyJpbnZvaWNlcyIsIjIwMjYtMDItMDFUMDA6MDA6MDAuMDAwWiJd';

/** The query parameter `after` of list endpoints, which takes the cursor of the previous page. */
export function AfterField(): PropertyDecorator {
  return TextField({
    max: MAX_CURSOR_CHARACTERS,
    optional: true,
    example: CURSOR,
    description:
      'The `next` of the previous page, in place of `offset`. A page takes the same time anywhere in the list. No entry appears twice ' +
      'if the list grows between two requests.',
  });
}

/** The query parameters that every list endpoint takes. */
export class PageQuery {
  @IntegerField({
    min: 1,
    max: 1_000,
    query: true,
    optional: true,
    description: 'The largest number of entries in the response.',
  })
  limit: number = 100;

  @IntegerField({
    min: 0,
    max: 1_000_000_000,
    query: true,
    optional: true,
    description: 'The number of entries to skip. A larger offset takes longer.',
  })
  offset: number = 0;

  @AfterField()
  after?: string;
}

/** The fields that every list response has in addition to `data`. */
export class ListView {
  @ApiProperty({ description: 'Whether the list has more entries after this page.', example: false })
  hasMore: boolean;

  @ApiPropertyOptional({
    type: String,
    description: 'The value of `after` for the next page. Absent on the last page.',
    example: CURSOR,
  })
  next?: string;
}

/** The page that the client asks for. */
export interface PageRequest {
  limit: number;
  offset: number;
  /** The cursor after which the page begins, which is the `next` of the page before. */
  after?: string | undefined;
}

/** One page of a list, in the form of the API response. */
export interface ListPage<Shown> {
  data: Shown[];
  /** Whether the list has more entries after this page. */
  hasMore: boolean;
  /** The value of `after` for the next page. Absent on the last page. */
  next?: string;
}

/**
 * Reads one page of a list with `read`, and returns it as `{ data: […], hasMore, next }`. The function reads one entry more than it
 * returns, to find out whether there are more entries. Throws InvalidRequest if `after` is not a cursor of this list.
 */
export async function readPage<Row, Shown>(
  page: PageRequest,
  order: ListOrder<NoInfer<Row>>,
  read: (part: ListPart) => Promise<readonly Row[]> | readonly Row[],
  present: (row: Row) => Shown,
): Promise<ListPage<Shown>> {
  const { limit, ...from } = listPartOf(page, order);
  const rows = await read({ limit: limit + 1, ...from });
  const data = rows.slice(0, limit).map(present);
  if (rows.length <= limit) return { data, hasMore: false };
  return { data, hasMore: true, next: cursorOf(order, order.keyOf(rows[limit - 1]!)) };
}

/** A complete list in memory, in display order. */
interface ListInMemory<Row> {
  /** The name of the list, so that a cursor of one list is not valid in another list. */
  readonly list: string;
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
}

/**
 * Returns one page of a complete list in memory. The page starts after the last entry of the previous page. If the last entry of the
 * previous page was removed, the page starts at the old place of the entry.
 */
export function pageInMemory<Row, Shown>(
  page: PageRequest,
  { list, rows, idOf }: ListInMemory<Row>,
  present: (row: Row) => Shown,
): ListPage<Shown> {
  const order = { list, keyParts: ['text', 'integer'] } as const;
  const { limit, offset, after } = listPartOf(page, order);
  const start = after === undefined ? offset : startAfter(after, rows.map(idOf));
  const end = start + limit;
  const data = rows.slice(start, end).map(present);
  if (rows.length <= end) return { data, hasMore: false };
  return { data, hasMore: true, next: cursorOf(order, [idOf(rows[end - 1]!), String(end - 1)]) };
}

function startAfter([id, place]: ListKey, ids: readonly string[]): number {
  const found = ids.indexOf(id);
  return found === -1 ? Number(place) : found + 1;
}

function listPartOf({ limit, offset, after }: PageRequest, order: Omit<ListOrder<never>, 'keyOf'>): ListPart {
  if (after === undefined) return { limit, offset };
  if (offset > 0)
    throw InvalidRequest.field('after', 'cannot be combined with offset; leave out one of them');
  return { limit, offset, after: readCursor(order, after) };
}
