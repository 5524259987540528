import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { WorkspaceUserFinder } from '#libs/contexts/identity';
import { Conflict, NotFound, type Instant } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { APPROVAL_ACTIONS, isApprovalAction, type ApprovalAction } from '../actions.js';
import { approvalPoliciesDecider } from './approval-policies.js';
import { CurrentApprovalPolicies } from './current-policies.js';
import type { ApprovalPolicy, ApprovalPolicyChange } from './events.js';

/** The result of {@link ChangeApprovalPolicy}: the policy after the change. */
export interface ChangedApprovalPolicy {
  readonly action: ApprovalAction;
  readonly policy: ApprovalPolicy & { updatedAt: Instant };
}

/**
 * Changes the policy that says when an action needs approval. Parts that the change does not name stay as they are. A changed policy does
 * not affect requests that are already pending. Throws NotFound for an unknown action. Throws InvalidRequest for a threshold without a
 * currency, a currency without a threshold, and a threshold of an action that has no amount. Throws Conflict (`no_other_approver`) if the
 * new policy is enabled and nobody but the caller could approve. A policy can be disabled also without another approver.
 */
export class ChangeApprovalPolicy extends Command<ChangedApprovalPolicy> {
  constructor(
    readonly context: CommandContext,
    readonly action: string,
    readonly policy: ApprovalPolicyChange,
  ) {
    super();
  }
}

@CommandHandler(ChangeApprovalPolicy)
export class ChangeApprovalPolicyHandler implements ICommandHandler<ChangeApprovalPolicy> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly people: WorkspaceUserFinder,
    private readonly policies: CurrentApprovalPolicies,
  ) {}

  async execute({ context, action, policy }: ChangeApprovalPolicy): Promise<ChangedApprovalPolicy> {
    if (!isApprovalAction(action))
      throw new NotFound(
        'approval_policy_not_found',
        `No approval policy "${action}"; the actions are ${APPROVAL_ACTIONS.join(', ')}`,
      );
    const { workspaceId, now: at } = context;
    const command = { type: 'ChangeApprovalPolicy', at, action, policy } as const;
    if (policy.enabled) await this.requireOtherApprover(context);
    const { state } = await this.aggregates.execute(approvalPoliciesDecider, workspaceId, context, command);
    return { action, policy: state?.[action] ?? (await this.policies.initialPolicy(workspaceId)) };
  }

  /** Checks that another user can approve. Without another approver, the caller's own requests could never be approved. */
  private async requireOtherApprover({ workspaceId, actor }: CommandContext): Promise<void> {
    const [caller, approvers] = await Promise.all([
      this.people.userIdOfActor(workspaceId, actor),
      this.people.activeUsersWithPermission(workspaceId, 'approvals:write'),
    ]);
    const others = approvers.filter(({ userId }) => userId !== caller);
    if (others.length >= (caller === null ? 2 : 1)) return;
    throw new Conflict(
      'no_other_approver',
      'Nobody else in the workspace could approve: add a second user with the role admin or finance, then enable the policy',
    );
  }
}
