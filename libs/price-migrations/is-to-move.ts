import type { Subscription } from '#libs/subscriptions';
import type { MigrationDetails } from './events.js';

/**
 * Whether a migration moves the subscription, or has by the amendment with this id, which is then found again. Whoever went
 * over without it may have agreed on more than the plan, and is left alone.
 */
export function isToMove(
  { phase, planId, amendments }: Pick<Subscription, 'phase' | 'planId' | 'amendments'>,
  { fromPlanId }: Pick<MigrationDetails, 'fromPlanId'>,
  amendmentId: string,
): boolean {
  const isMoved = amendments.some((amendment) => amendment.amendmentId === amendmentId);
  return isMoved || (phase !== 'canceled' && planId === fromPlanId);
}
