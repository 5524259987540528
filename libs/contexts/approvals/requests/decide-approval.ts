import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { WorkspacePeople } from '#libs/contexts/identity';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { approvalRequestDecider, type ApprovalRequest } from './approval-request.js';

/**
 * Approves or rejects a request. The saga executes an approved one. Throws NotFound for an unknown request. Throws Conflict
 * (`approval_decided`, `approval_expired`) if it is not pending any more. Throws Forbidden (`own_request`, `requester_unknown`) if the caller
 * approves their own request, or one that could be their own. Throws Forbidden (`approver_unknown`, `approver_not_allowed`) if the user
 * behind the caller's API key is not known or may not approve.
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
    private readonly people: WorkspacePeople,
  ) {}

  async execute({ context, requestId, decision }: DecideApproval): Promise<ApprovalRequest> {
    const { workspaceId, actor, now: at } = context;
    const { approves, note } = decision;
    const by = { type: actor.type, id: actor.id, userId: await this.people.userOfActor(workspaceId, actor) };
    const id = aggregateId(workspaceId, requestId);
    const decided = { requestId, at, by, note };
    const command = approves
      ? ({
          type: 'ApproveRequest',
          ...decided,
          mayApprove: await this.mayApprove(workspaceId, by.userId),
        } as const)
      : ({ type: 'RejectRequest', ...decided } as const);
    return (await this.aggregates.execute(approvalRequestDecider, id, context, command)).state;
  }

  /** The role of an API key does not change with that of the user who created it. So the user is looked up. */
  private async mayApprove(workspaceId: string, userId: string | null): Promise<boolean> {
    const approvers = await this.people.activeUsersWith(workspaceId, 'approvals:write');
    return approvers.some((approver) => approver.userId === userId);
  }
}
