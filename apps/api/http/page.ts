import { ApiProperty } from '@nestjs/swagger';
import { IntegerField } from './fields/index.js';

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
    description: 'Entries to leave out first.',
  })
  offset: number = 0;
}

/** What every list answers with, beside its `data`. */
export class ListView {
  @ApiProperty({ description: 'Whether there are entries behind these.', example: false })
  hasMore: boolean;
}

/** A part of a list: at most `limit` entries behind the first `offset`. */
export interface Page {
  limit: number;
  offset: number;
}

/**
 * `{ data: […], hasMore }`, as every list is answered. It reads one entry more than it shows: whether there is one tells
 * whether there are more, and costs no count.
 */
export async function listOf<Row, Shown>(
  { limit, offset }: Page,
  read: (page: Page) => Promise<readonly Row[]> | readonly Row[],
  present: (row: Row) => Shown,
): Promise<{ data: Shown[]; hasMore: boolean }> {
  const rows = await read({ limit: limit + 1, offset });
  return { data: rows.slice(0, limit).map(present), hasMore: rows.length > limit };
}

/** The reading of a list that is in memory as a whole. */
export function pageIn<Row>(rows: readonly Row[]): (page: Page) => readonly Row[] {
  return ({ limit, offset }) => rows.slice(offset, offset + limit);
}
