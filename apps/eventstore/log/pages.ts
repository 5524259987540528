/**
 * Yields pages, and requests the next page while the caller processes the current page.
 *
 * @param first requests the first page; `undefined` if there can be no events
 * @param next requests the page after `last`, when `count` items were yielded; `undefined` if no more are needed
 */
export async function* readPagesAhead<T>(
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
    // If the caller does not ask for the next page, the failure of its request is ignored.
    coming?.catch(() => undefined);
    yield page;
  }
}
