import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { WorkspacePeople } from '#libs/contexts/identity';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { approvalRequestDecider, type ApprovalRequest } from './approval-request.js';

/**
 * Approves or rejects a request. The saga executes an approved one. Throws NotFound for an unknown request. Throws Conflict
 * (`approval_decided`, `approval_expired`) if it is not pending any more. Throws Forbidden (`own_request`) if the caller approves their own
 * request.
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
    const by = { type: actor.type, id: actor.id, userId: await this.people.userBehind(workspaceId, actor) };
    const type = approves ? 'ApproveRequest' : 'RejectRequest';
    const id = aggregateId(workspaceId, requestId);
    const command = { type, requestId, at, by, note } as const;
    return (await this.aggregates.execute(approvalRequestDecider, id, context, command)).state;
  }
}
