/**
 * Lets a loop sleep until there is something for it. A loop that clears it, looks for work and then sleeps misses nothing. A call of `wake`
 * in between ends that sleep at once.
 */
export class WakeUp {
  private awake = false;
  private rouse: (() => void) | undefined;

  /** Ends the sleep, or the next one. */
  wake(): void {
    this.awake = true;
    this.rouse?.();
  }

  /** Forgets earlier calls of `wake`, because the caller looks for work now. */
  clear(): void {
    this.awake = false;
  }

  /** Sleeps for so long, or until it is woken; answers whether it was. Without a time it sleeps until it is woken. */
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
