import type { Decimal, DecimalString } from '#libs/kernel/core';
import {
  LIMIT_THRESHOLD,
  refusesEvent,
  thresholdsReached,
  usedQuantityAfterEvent,
  type LimitCountingTerms,
} from './limit-use.js';

/** Counts the use of a limit in one window while the events of a transaction are checked one by one. */
export class WindowCounter {
  /** True if the counter has changed since it was read. */
  hasChanged = false;
  /** For a metric of distinct values: the values that this counter has counted for the first time in the window. */
  readonly newValues: string[] = [];

  constructor(
    /** The quantity used. */
    public used: DecimalString,
    /** The thresholds that were already reached before. */
    public told: readonly DecimalString[],
    /** The distinct values of the checked events that were already counted before. */
    private readonly seen: Set<string> = new Set(),
  ) {}

  /**
   * Returns undefined if an event with the given value may be stored. If the event is refused, returns the thresholds to notify about. The
   * first refusal in the window counts as reaching the limit, and later refusals reach no threshold.
   */
  thresholdsOnRefusal(
    terms: LimitCountingTerms,
    value: Decimal,
    distinct?: string,
  ): readonly DecimalString[] | undefined {
    if (this.isSeen(distinct) || !refusesEvent(terms, this.used, value)) return undefined;
    return this.reach(this.told.includes(LIMIT_THRESHOLD) ? [] : [LIMIT_THRESHOLD]);
  }

  /** Counts an event, and returns the thresholds that it reaches for the first time. */
  countEvent(terms: LimitCountingTerms, value: Decimal, distinct?: string): readonly DecimalString[] {
    if (this.isSeen(distinct)) return [];
    if (distinct !== undefined) {
      this.seen.add(distinct);
      this.newValues.push(distinct);
    }
    this.used = usedQuantityAfterEvent(terms, this.used, value);
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
