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

/** `{ data: […] }`, as every list is answered. */
export function listOf<Row, Shown>(rows: Row[], present: (row: Row) => Shown): { data: Shown[] } {
  return { data: rows.map(present) };
}
