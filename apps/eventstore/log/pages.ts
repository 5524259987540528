/**
 * Pages, the next of which is already on its way while one is dealt with.
 *
 * @param first asks for the first; `undefined` when there can be nothing
 * @param next asks for what follows `last`, after `count` in all; `undefined` when that was enough
 */
export async function* pagesAhead<T>(
  first: () => Promise<T[]> | undefined,
  next: (last: T, count: number) => Promise<T[]> | undefined,
): AsyncGenerator<T[], void, undefined> {
  let count = 0;
  let coming: Promise<T[]> | undefined = first();
  while (coming) {
    const page: T[] = await coming;
    const last = page.at(-1);
    if (last === undefined) return;
    count += page.length;
    coming = next(last, count);
    // When nobody asks for the page that is coming, nobody hears of its failure either.
    coming?.catch(() => undefined);
    yield page;
  }
}
