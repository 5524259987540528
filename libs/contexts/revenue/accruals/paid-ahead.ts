import type { SubscriptionAgreement } from '#libs/contexts/subscriptions';
import { isFeeInAdvance } from '#libs/rating';

/**
 * Tells whether a subscription pays for everything in advance, without a minimum commitment. A subscription that is paid in advance has
 * nothing to accrue.
 */
export function isPaidInAdvance({
  items,
  minimumCommitment,
}: Pick<SubscriptionAgreement, 'items' | 'minimumCommitment'>): boolean {
  const isAhead = items.every(({ price }) => price.cadence === 'one_time' || isFeeInAdvance(price));
  return isAhead && minimumCommitment === undefined;
}
