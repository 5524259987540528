import { Conflict, type Instant } from '#libs/kernel/core';
import { isChangeDue } from '../next-due.js';
import type { Subscription } from '../subscription.js';

/**
 * Throws Conflict if a change that was due by `at` has not been applied yet. As long as a due change is not applied, the subscription's
 * present period can be wrong.
 */
export function requireNothingDue(subscription: Subscription, at: Instant): void {
  if (isChangeDue(subscription, at))
    throw new Conflict('billing_behind', 'The period that has just ended is being billed; try again');
}
