/** Items one after the other, of which the next can be looked at before it is taken. */
export class Peekable<T> {
  private readonly iterator: AsyncIterator<T>;
  private ahead: { readonly item: T | undefined } | undefined;

  constructor(items: AsyncIterable<T>) {
    this.iterator = items[Symbol.asyncIterator]();
  }

  /** The next item, which stays the next; undefined at the end. */
  async peek(): Promise<T | undefined> {
    if (this.ahead === undefined) {
      const next = await this.iterator.next();
      this.ahead = { item: next.done ? undefined : next.value };
    }
    return this.ahead.item;
  }

  /** Takes the item that was looked at. */
  skip(): void {
    if (this.ahead?.item !== undefined) this.ahead = undefined;
  }
}
