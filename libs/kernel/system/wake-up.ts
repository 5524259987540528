/**
 * Lets a loop sleep until it has something to do. The loop calls `clear`, looks for work, and then sleeps. A call of `wake` after `clear`
 * ends the following sleep at once, so no work is missed.
 */
export class WakeUp {
  private awake = false;
  private rouse: (() => void) | undefined;

  /** Ends the present sleep of the loop, or the next sleep if the loop is awake. */
  wake(): void {
    this.awake = true;
    this.rouse?.();
  }

  /** Forgets earlier calls of `wake`, because the caller looks for work now. */
  clear(): void {
    this.awake = false;
  }

  /**
   * Sleeps until `wake` is called, but at most for this time. Returns true if `wake` was called. Without a time, the sleep lasts until
   * `wake` is called.
   */
  async sleep(millis?: number): Promise<boolean> {
    if (this.awake || millis === 0) return this.awake;
    await new Promise<void>((resolve) => {
      const timer = millis === undefined ? undefined : setTimeout(resolve, millis);
      this.rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.rouse = undefined;
    return this.awake;
  }
}
