import { Injectable } from '@nestjs/common';
import { workspaceDecider } from '#libs/contexts/identity';
import type { Instant } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { APPROVAL_ACTIONS, type ApprovalAction } from '../actions.js';
import { approvalPoliciesDecider, INITIAL_POLICY } from './approval-policies.js';
import type { ApprovalPolicy } from './events.js';

/** Reads the approval policies of workspaces from their streams. */
@Injectable()
export class CurrentApprovalPolicies {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Returns the policy of one action. */
  async policyFor(workspaceId: string, action: ApprovalAction): Promise<ApprovalPolicy> {
    return (await this.aggregates.load(approvalPoliciesDecider, workspaceId))?.[action] ?? INITIAL_POLICY;
  }

  /** Returns the policy that each action has until somebody changes it. Its `updatedAt` is the time when the workspace was created. */
  async initialPolicy(workspaceId: string): Promise<ApprovalPolicy & { updatedAt: Instant }> {
    const workspace = await this.aggregates.load(workspaceDecider, workspaceId);
    return { ...INITIAL_POLICY, updatedAt: workspace!.at };
  }

  /**
   * Returns the approval policies of all actions. The `updatedAt` of a policy that was never changed is the time when the workspace was
   * created.
   */
  async allPolicies(
    workspaceId: string,
  ): Promise<{ action: ApprovalAction; policy: ApprovalPolicy & { updatedAt: Instant } }[]> {
    const [changed, initial] = await Promise.all([
      this.aggregates.load(approvalPoliciesDecider, workspaceId),
      this.initialPolicy(workspaceId),
    ]);
    return APPROVAL_ACTIONS.map((action) => ({
      action,
      policy: changed?.[action] ?? initial,
    }));
  }
}
