import type { SelectQueryBuilder } from 'typeorm';
import type { Instant, ListOrder, ListPart } from '#libs/kernel/core';

/** A row that has the time at which it was created. */
interface CreatedRow {
  id: string;
  createdAt: Instant;
}

/** The order of a list by creation, oldest first. */
export function oldestFirstOrder<Row extends CreatedRow>(list: string): ListOrder<Row> {
  return { list, keyParts: ['instant', 'text'], keyOf: ({ createdAt, id }) => [createdAt, id] };
}

/** Returns a page of the rows that the query selects, in the order of {@link oldestFirstOrder}. */
export async function pageOldestFirst<Row extends CreatedRow>(
  query: SelectQueryBuilder<Row>,
  { limit, offset, after }: ListPart,
): Promise<Row[]> {
  const [at, id] = [`${query.alias}.createdAt`, `${query.alias}.id`];
  if (after)
    query.andWhere(`(${at}, ${id}) > (:afterAt, :afterId)`, { afterAt: after[0], afterId: after[1] });
  return query.orderBy(at).addOrderBy(id).limit(limit).offset(offset).getMany();
}
