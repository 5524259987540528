import { Decimal, InvalidRequest, laterOf, type DecimalString, type Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { describeAction, type ApprovalAction } from '../actions.js';
import {
  approvalPolicyEvents,
  type ApprovalPolicy,
  type ApprovalPolicyChange,
  type ApprovalPolicyEvent,
} from './events.js';

/** The policy of an action, with the time of its last change. */
export interface PolicyWithChangeTime extends ApprovalPolicy {
  updatedAt: Instant;
}

/**
 * The policies of a workspace, by action. Only actions whose policy was changed at least once are present. All policies are in one stream:
 * `approvalPolicies-acc_…`.
 */
export type ApprovalPolicies = { readonly [Action in ApprovalAction]?: PolicyWithChangeTime };

export type ApprovalPolicyCommand = {
  type: 'ChangeApprovalPolicy';
  at: Instant;
  action: ApprovalAction;
  policy: ApprovalPolicyChange;
};

/** The number of days after which a request expires, unless its policy sets another number. */
export const DEFAULT_EXPIRY_DAYS = 7;

/** The policy that each action has until somebody changes it. With this policy, the action needs no approval. */
export const INITIAL_POLICY: ApprovalPolicy = {
  enabled: false,
  thresholdAmount: null,
  thresholdCurrency: null,
  expiresInDays: DEFAULT_EXPIRY_DAYS,
};

export const approvalPoliciesDecider = defineDecider<
  ApprovalPolicies,
  ApprovalPolicyCommand,
  ApprovalPolicyEvent
>({
  category: 'approvalPolicies',
  events: approvalPolicyEvents,
  decide({ action, policy: change, at }, policies = {}) {
    const present = policies[action];
    const policy = changedPolicy(change, present ?? INITIAL_POLICY);
    requireValidThreshold(action, policy);
    if (isSame(policy, present ?? INITIAL_POLICY)) return [];
    const data = { action, ...policy, at: present ? laterOf(at, present.updatedAt) : at };
    return [{ type: 'ApprovalPolicyChanged', data }];
  },
  evolve(policies = {}, { data: { action, at: updatedAt, ...policy } }) {
    return { ...policies, [action]: { ...policy, updatedAt } };
  },
});

/** Returns the policy after a change. The currency of a threshold that ends ends with it. */
function changedPolicy(
  { enabled, thresholdAmount, thresholdCurrency, expiresInDays }: ApprovalPolicyChange,
  present: ApprovalPolicy,
): ApprovalPolicy {
  const keptCurrency = thresholdAmount === null ? null : present.thresholdCurrency;
  return {
    enabled,
    thresholdAmount: thresholdAmount === undefined ? present.thresholdAmount : thresholdAmount,
    thresholdCurrency: thresholdCurrency === undefined ? keptCurrency : thresholdCurrency,
    expiresInDays: expiresInDays ?? present.expiresInDays,
  };
}

/**
 * Tells whether an action with this amount needs approval. Under a policy that is not enabled, no action needs approval. Under an enabled
 * policy without a threshold, every action needs approval. Under an enabled policy with a threshold, these actions need approval: an action
 * whose amount is the threshold or more, an action with an amount in another currency, and an action without an amount.
 */
export function needsApproval(
  { enabled, thresholdAmount, thresholdCurrency }: ApprovalPolicy,
  { amount, currency }: { amount: DecimalString | null; currency: string | null },
): boolean {
  if (!enabled) return false;
  if (thresholdAmount === null || amount === null || currency !== thresholdCurrency) return true;
  return new Decimal(amount).gte(thresholdAmount);
}

/** Refuses a threshold without a currency, and a currency without a threshold. Refuses any threshold if the action has no amount. */
function requireValidThreshold(
  action: ApprovalAction,
  { thresholdAmount, thresholdCurrency }: ApprovalPolicy,
): void {
  if (thresholdAmount !== null && !describeAction(action).hasAmount)
    throw InvalidRequest.field(
      'thresholdAmount',
      `must be null or absent, because ${action} has no amount; every request of it needs approval`,
    );
  if ((thresholdAmount === null) !== (thresholdCurrency === null)) {
    const message =
      'must be given together with the other field of the threshold, or both must be null or absent';
    throw new InvalidRequest(
      'validation_failed',
      'thresholdAmount and thresholdCurrency must be given together, or both must be null or absent',
      ['thresholdAmount', 'thresholdCurrency'].map((field) => ({ field, message })),
    );
  }
}

function isSame(a: ApprovalPolicy, b: ApprovalPolicy): boolean {
  const sameAmount =
    a.thresholdAmount === null || b.thresholdAmount === null
      ? a.thresholdAmount === b.thresholdAmount
      : new Decimal(a.thresholdAmount).eq(b.thresholdAmount);
  return (
    sameAmount &&
    a.enabled === b.enabled &&
    a.thresholdCurrency === b.thresholdCurrency &&
    a.expiresInDays === b.expiresInDays
  );
}
