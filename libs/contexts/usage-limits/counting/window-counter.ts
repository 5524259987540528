import type { Decimal, DecimalString } from '#libs/kernel/core';
import {
  LIMIT_THRESHOLD,
  refusesEvent,
  thresholdsReached,
  limitUseAfterEvent,
  type LimitTermsCounted,
} from './limit-use.js';

/** Counts the use of a limit in one window, while a group of events is checked one after the other. */
export class WindowCounter {
  /** True if the counter has changed since it was read. */
  hasChanged = false;
  /** For a metric that counts distinct values: the values that this object has counted for the first time in the window. */
  readonly newValues: string[] = [];

  constructor(
    /** The quantity used. */
    public used: DecimalString,
    /** The thresholds that were reached before. */
    public told: readonly DecimalString[],
    /** The distinct values of the present events that were counted before. */
    private readonly seen: Set<string> = new Set(),
  ) {}

  /**
   * Returns undefined if an event with this value may be stored. Otherwise returns the thresholds to give notice of: the first refusal
   * counts as reaching the limit.
   */
  refusal(terms: LimitTermsCounted, value: Decimal, distinct?: string): readonly DecimalString[] | undefined {
    if (this.isSeen(distinct) || !refusesEvent(terms, this.used, value)) return undefined;
    return this.reach(this.told.includes(LIMIT_THRESHOLD) ? [] : [LIMIT_THRESHOLD]);
  }

  /** Counts an event, and returns the thresholds that were not reached before it. */
  take(terms: LimitTermsCounted, value: Decimal, distinct?: string): readonly DecimalString[] {
    if (this.isSeen(distinct)) return [];
    if (distinct !== undefined) {
      this.seen.add(distinct);
      this.newValues.push(distinct);
    }
    this.used = limitUseAfterEvent(terms, this.used, value);
    this.hasChanged = true;
    return this.reach(thresholdsReached(terms, this.used, this.told));
  }

  private isSeen(distinct: string | undefined): boolean {
    return distinct !== undefined && this.seen.has(distinct);
  }

  private reach(thresholds: readonly DecimalString[]): readonly DecimalString[] {
    if (thresholds.length > 0) {
      this.told = [...this.told, ...thresholds];
      this.hasChanged = true;
    }
    return thresholds;
  }
}
