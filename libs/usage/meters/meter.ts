import type { NormalisedAggregation } from './definition.js';

/** A meter as it is stored in the database. */
export interface Meter {
  readonly id: string;
  /** The stream of events that the meter folds. */
  readonly streamId: number;
  readonly aggregation: NormalisedAggregation;
}
