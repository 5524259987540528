import { deriveUuid } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { ApprovalRequest } from '../requests/approval-request.js';
import type { ResponsibleActor } from '../requests/events.js';

/**
 * Returns the context in which an approved action runs: in the name of the person who requested it, with the approval. The command id is the
 * same each time, so that the action is done only once.
 */
export function approvedActionContext(
  context: CommandContext,
  { requestId, requestedBy }: Pick<ApprovalRequest, 'requestId' | 'requestedBy'>,
  approver: Pick<ResponsibleActor, 'type' | 'id'>,
): CommandContext {
  const approval = { requestId, approvedBy: { type: approver.type, id: approver.id } };
  return {
    ...context,
    commandId: deriveUuid('approved-action', context.workspaceId, requestId),
    causationId: context.commandId,
    actor: { type: requestedBy.type, id: requestedBy.id, approval },
    mayRepeat: true,
  };
}
