import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest, type Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import {
  dunningPolicyEvents,
  type DunningPolicy,
  type DunningPolicyEvent,
  type DunningStep,
} from './events.js';

/** The id of the policy that every workspace has. */
export const DEFAULT_POLICY_ID = 'default';

const step = (afterDays: number, template: DunningStep['template']): DunningStep => ({
  afterDays,
  channel: 'email',
  template,
  subscription: 'none',
});

/**
 * The default dunning policy of a workspace: reminders after 3, 7 and 14 days, and a final notice after 21 days. The 21 days are the same
 * as in the tutorial on overdue invoices of the billing system Kill Bill. The default policy does not pause or cancel subscriptions,
 * because only the workspace can decide when to do that.
 */
export const DEFAULT_DUNNING_POLICY: DunningPolicy = {
  name: 'Reminders by mail',
  enabled: true,
  steps: [step(3, 'friendly_reminder'), step(7, 'reminder'), step(14, 'reminder'), step(21, 'final_notice')],
};

/** The policy with the time of its last change. */
export interface DunningPolicyWithUpdateTime extends DunningPolicy {
  updatedAt: Instant;
}

export interface DunningPolicyCommand {
  type: 'ChangeDunningPolicy';
  at: Instant;
  changes: Partial<DunningPolicy>;
}

/** Decides changes of a workspace's dunning policy. The stream of a workspace's policy is `dunningPolicies-acc_…`. */
export const dunningPoliciesDecider = defineDecider<
  DunningPolicyWithUpdateTime,
  DunningPolicyCommand,
  DunningPolicyEvent
>({
  category: 'dunningPolicies',
  events: dunningPolicyEvents,
  decide({ at, changes }, state) {
    const { name, enabled, steps } = state ?? DEFAULT_DUNNING_POLICY;
    const present = { name, enabled, steps };
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const next: DunningPolicy = { ...present, ...given };
    requireStepsInOrder(next.steps);
    if (isDeepStrictEqual(next, present)) return [];
    return [{ type: 'DunningPolicyChanged', data: { policyId: DEFAULT_POLICY_ID, at, ...next } }];
  },
  evolve(_, { data: { at, name, enabled, steps } }) {
    return { name, enabled, steps, updatedAt: at };
  },
});

/**
 * Refuses steps that are not in the order of their days. Refuses a step whose action on subscriptions is weaker than that of the previous
 * step.
 */
function requireStepsInOrder(steps: readonly DunningStep[]): void {
  const severity = { none: 0, pause: 1, cancel: 2 };
  for (const [at, { afterDays, subscription }] of steps.entries()) {
    const before = steps[at - 1];
    if (!before) continue;
    if (afterDays <= before.afterDays)
      throw InvalidRequest.field(
        `steps[${at}].afterDays`,
        `must be more than the ${before.afterDays} days of the step before`,
      );
    if (severity[subscription] < severity[before.subscription])
      throw InvalidRequest.field(
        `steps[${at}].subscription`,
        `must be ${before.subscription} or more, because the step before says ${before.subscription}`,
      );
  }
}
