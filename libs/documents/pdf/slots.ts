import { Unavailable } from '#libs/core';

/** Lets so many work at once and so many wait; more are told to come again. */
export class Slots {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(
    count: number,
    private readonly maxWaiting: number,
  ) {
    this.free = count;
  }

  /** Runs `work` when there is a slot. Throws Unavailable (`busy`) if too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.take();
    try {
      return await work();
    } finally {
      this.giveBack();
    }
  }

  private async take(): Promise<void> {
    if (this.free > 0) {
      this.free--;
      return;
    }
    if (this.waiting.length >= this.maxWaiting)
      throw new Unavailable('busy', 'Too many documents are being made at this moment; try again shortly');
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** The slot goes straight to whoever has waited longest. */
  private giveBack(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free++;
  }
}
