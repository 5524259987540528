import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { ApprovalAction } from '../actions.js';

/** The approval policy of one action: whether the action needs approval, and from which amount on. */
export interface ApprovalPolicy {
  /** True if the policy applies. If false, the action never needs approval. */
  enabled: boolean;
  /** The action needs approval if its amount is this threshold or more. If null, the action needs approval with any amount. */
  thresholdAmount: DecimalString | null;
  /** The currency of the threshold. Null if the policy has no threshold. */
  thresholdCurrency: string | null;
  /** The number of days after which an undecided request expires. */
  expiresInDays: number;
}

/** The parts of a policy to change. A part that is absent stays as it is. */
export interface ApprovalPolicyChange {
  readonly enabled: boolean;
  readonly thresholdAmount?: DecimalString | null | undefined;
  readonly thresholdCurrency?: string | null | undefined;
  readonly expiresInDays?: number | undefined;
}

export type ApprovalPolicyEvent = DomainEvent<
  'ApprovalPolicyChanged',
  { action: ApprovalAction; at: Instant } & ApprovalPolicy
>;

export const approvalPolicyEvents: EventCatalog<ApprovalPolicyEvent> = { ApprovalPolicyChanged: v1 };
