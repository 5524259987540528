import { Conflict, type Instant } from '#libs/kernel/core';
import { isDue } from '../next-due.js';
import type { Subscription } from '../subscription.js';

/** The caller has done what was due by `at`, so that the present period is the one that a change is about. */
export function requireNothingDue(subscription: Subscription, at: Instant): void {
  if (isDue(subscription, at))
    throw new Conflict('billing_behind', 'The period that has just ended is being billed; try again');
}
