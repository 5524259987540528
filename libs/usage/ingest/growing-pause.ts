/** The largest number of attempts that a pause leaves out. */
const MAX_LENGTH = 64;

/**
 * Leaves out attempts that would probably fail. The first failure leaves out none, and each further one in a row twice as many as the one
 * before. A success ends that.
 */
export class GrowingPause {
  private left = 0;
  private length = 0;

  /** Tells whether the present attempt is left out. */
  isPaused(): boolean {
    if (this.left === 0) return false;
    this.left--;
    return true;
  }

  succeeded(): void {
    this.length = 0;
  }

  failed(): void {
    this.left = this.length;
    this.length = Math.min(Math.max(1, this.length * 2), MAX_LENGTH);
  }
}
