import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { WorkspaceUserFinder } from '#libs/contexts/identity';
import { AppError } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { approvedActionContext } from '../gate/approved-action-context.js';
import { HeldCommandRegistry } from '../gate/held-command-registry.js';
import { requireUnchanged } from '../gate/require-unchanged.js';
import { approvalRequestDecider, type ApprovalRequest } from './approval-request.js';
import type { ProposedAction, ResponsibleActor } from './events.js';

/**
 * Approves or rejects a request. The saga executes the action of an approved request. Throws NotFound for an unknown request. Throws
 * Conflict (`approval_decided`) if the request is no longer pending, also after the saga has recorded its expiry. Throws Conflict
 * (`approval_expired`) if the request is pending and its expiry has passed.
 *
 * An approval throws Conflict (`approval_outdated`) if the action would now do something else than the request shows. The request stays
 * pending then.
 *
 * An approval also throws Forbidden (`own_request`) if the caller made the request, and Forbidden (`requester_unknown`) if the requester is
 * not known and could be the caller. An approval throws Forbidden (`approver_unknown`, `approver_not_allowed`) if the user behind the
 * caller's API key is not known or may not approve. A rejection throws none of these Forbidden errors.
 */
export class DecideApproval extends Command<ApprovalRequest> {
  constructor(
    readonly context: CommandContext,
    readonly requestId: string,
    readonly decision: { readonly approves: boolean; readonly note: string | null },
  ) {
    super();
  }
}

@CommandHandler(DecideApproval)
export class DecideApprovalHandler implements ICommandHandler<DecideApproval> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly people: WorkspaceUserFinder,
    private readonly held: HeldCommandRegistry,
  ) {}

  async execute({ context, requestId, decision }: DecideApproval): Promise<ApprovalRequest> {
    const { workspaceId, actor, now: at } = context;
    const { approves, note } = decision;
    if (actor.type === 'system') throw new Error('A process does not decide on approval requests');
    const by = {
      type: actor.type,
      id: actor.id,
      userId: await this.people.userIdOfActor(workspaceId, actor),
    };
    const id = aggregateId(workspaceId, requestId);
    const decided = { requestId, at, by, note };
    const command = approves
      ? ({
          type: 'ApproveRequest',
          ...decided,
          mayApprove: await this.mayApprove(workspaceId, by.userId),
        } as const)
      : ({ type: 'RejectRequest', ...decided } as const);
    // The preview throws the errors of the decision. It is undefined if the request was decided by an earlier attempt of this command.
    const preview = await this.aggregates.preview(approvalRequestDecider, id, context, command);
    if (approves && preview) await this.requireActionAsShown(context, preview.after, by);
    return (await this.aggregates.execute(approvalRequestDecider, id, context, command)).state;
  }

  /**
   * Refuses the approval if the action would now do something else than the request shows. An action that is refused now is approved all the
   * same. Its execution decides again, and the request then shows why the action failed.
   */
  private async requireActionAsShown(
    context: CommandContext,
    request: ApprovalRequest,
    by: ResponsibleActor,
  ): Promise<void> {
    if (typeof request.command === 'string') return;
    let proposed: ProposedAction | undefined;
    try {
      proposed = await this.held.propose(approvedActionContext(context, request, by), request.command);
    } catch (error) {
      if (error instanceof AppError) return;
      throw error;
    }
    requireUnchanged(request, proposed);
  }

  /** An API key keeps its role when the role of its creator changes. So the present role of the key's creator is looked up. */
  private async mayApprove(workspaceId: string, userId: string | null): Promise<boolean> {
    const approvers = await this.people.activeUsersWithPermission(workspaceId, 'approvals:write');
    return approvers.some((approver) => approver.userId === userId);
  }
}
