/** An asynchronous sequence whose next item can be read without removing it. */
export class PeekableSequence<T> {
  private readonly iterator: AsyncIterator<T>;
  private ahead: { readonly item: T | undefined } | undefined;

  constructor(items: AsyncIterable<T>) {
    this.iterator = items[Symbol.asyncIterator]();
  }

  /** Returns the next item without removing it, or undefined at the end of the sequence. */
  async peek(): Promise<T | undefined> {
    if (this.ahead === undefined) {
      const next = await this.iterator.next();
      this.ahead = { item: next.done ? undefined : next.value };
    }
    return this.ahead.item;
  }

  /** Removes the item that `peek` returned. */
  removePeeked(): void {
    if (this.ahead?.item !== undefined) this.ahead = undefined;
  }
}
