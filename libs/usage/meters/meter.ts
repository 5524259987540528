import type { NormalAggregation } from './definition.js';

/** A meter as its row says. */
export interface Meter {
  readonly id: string;
  /** The stream of events that it folds. */
  readonly streamId: number;
  readonly aggregation: NormalAggregation;
}
