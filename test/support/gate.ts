/** Holds calls until as many have come as were expected, and then lets all go on at once: a race, made to happen. */
export class Gate {
  private waiting = 0;
  private readonly open: Promise<void>;
  private release: () => void = () => undefined;

  constructor(private readonly expected: number) {
    this.open = new Promise((resolve) => (this.release = resolve));
  }

  /** Resolves when the last expected caller has come. For later callers it resolves at once. */
  async pass(): Promise<void> {
    this.waiting += 1;
    if (this.waiting >= this.expected) this.release();
    await this.open;
  }
}
