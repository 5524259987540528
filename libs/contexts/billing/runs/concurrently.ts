/** Does `work` for each item, at most `limit` at a time; items are fetched as they are needed. Rejects if any does. */
export async function concurrently<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const source = each(items);
  const lane = async (): Promise<void> => {
    for (let next = await source.next(); !next.done; next = await source.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: limit }, lane));
}

async function* each<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
