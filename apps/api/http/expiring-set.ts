import { elapsedSeconds } from '#libs/kernel/system';

/** Texts that are remembered for a time, and not more than so many of them: the oldest go first. */
export class ExpiringSet {
  private readonly until = new Map<string, number>();

  constructor(
    private readonly limit: number,
    private readonly seconds: number,
  ) {}

  /** @param now for many questions at once: reading the monotonic clock takes longer than answering one */
  has(text: string, now: number = elapsedSeconds()): boolean {
    const until = this.until.get(text);
    return until !== undefined && until > now;
  }

  add(text: string): void {
    this.until.delete(text);
    if (this.until.size >= this.limit) this.until.delete(this.until.keys().next().value!);
    this.until.set(text, elapsedSeconds() + this.seconds);
  }

  delete(text: string): void {
    this.until.delete(text);
  }

  clear(): void {
    this.until.clear();
  }
}
