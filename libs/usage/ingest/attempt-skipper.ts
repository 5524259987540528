/** The largest number of attempts that an {@link AttemptSkipper} skips after one failure. */
const MAX_LENGTH = 64;

/**
 * Skips some attempts after repeated failures, because they would probably fail too. After the first failure, no attempt is skipped. After
 * the second failure in a row, one attempt is skipped. Each further failure in a row skips twice as many attempts as the failure before it.
 * After a success, counting starts anew.
 */
export class AttemptSkipper {
  private left = 0;
  private length = 0;

  /** Returns true if the next attempt should be skipped, and counts it as skipped. */
  shouldSkipAttempt(): boolean {
    if (this.left === 0) return false;
    this.left--;
    return true;
  }

  recordSuccess(): void {
    this.length = 0;
  }

  recordFailure(): void {
    this.left = this.length;
    this.length = Math.min(Math.max(1, this.length * 2), MAX_LENGTH);
  }
}
