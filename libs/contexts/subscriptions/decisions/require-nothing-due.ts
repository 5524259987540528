import { Conflict, type Instant } from '#libs/kernel/core';
import { isDue } from '../next-due.js';
import type { Subscription } from '../subscription.js';

/**
 * Refuses a change (Conflict) while something that was due by `at` is not applied. The present period could be the wrong one for the
 * change.
 */
export function requireNothingDue(subscription: Subscription, at: Instant): void {
  if (isDue(subscription, at))
    throw new Conflict('billing_behind', 'The period that has just ended is being billed; try again');
}
