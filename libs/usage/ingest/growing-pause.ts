/** The largest number of attempts that one pause skips. */
const MAX_LENGTH = 64;

/**
 * Skips attempts that would probably fail. After the first failure, no attempt is skipped. Each further failure in a row skips twice as
 * many attempts as the one before. After a success, the count starts again.
 */
export class GrowingPause {
  private left = 0;
  private length = 0;

  /** Returns true if the present attempt is to be skipped, and counts it as skipped. */
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
