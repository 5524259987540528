import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { ApprovalAction } from '../actions.js';

/** The policy of one action: whether and from which amount the action needs approval. */
export interface ApprovalPolicy {
  /** True if the action can need approval. If false, it never does. */
  enabled: boolean;
  /** Amounts from this one on need approval. If null, every amount does. */
  thresholdAmount: DecimalString | null;
  /** The currency of the threshold. Null if there is no threshold. */
  thresholdCurrency: string | null;
  /** The number of days after which a request that nobody decided expires. */
  expiresInDays: number;
}

export type ApprovalPolicyEvent = DomainEvent<
  'ApprovalPolicyChanged',
  { action: ApprovalAction; at: Instant } & ApprovalPolicy
>;

export const approvalPolicyEvents: EventCatalog<ApprovalPolicyEvent> = { ApprovalPolicyChanged: v1 };
