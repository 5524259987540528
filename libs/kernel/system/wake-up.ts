/**
 * Lets a loop sleep until it has something to do. The loop calls `clear`, looks for work, and then sleeps. A call of `wake` in between ends
 * that sleep at once, so nothing is missed.
 */
export class WakeUp {
  private awake = false;
  private rouse: (() => void) | undefined;

  /** Ends the present sleep, or the next one. */
  wake(): void {
    this.awake = true;
    this.rouse?.();
  }

  /** Forgets earlier calls of `wake`, because the caller looks for work now. */
  clear(): void {
    this.awake = false;
  }

  /** Sleeps until it is woken, but at most this long. Returns whether it was woken. Without a time it sleeps until it is woken. */
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
