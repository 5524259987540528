import { Injectable } from '@nestjs/common';
import { AppError, Unavailable } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { ProcessManager, reactByEventType, type TaskHandlers } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { approvedActionContext } from './gate/approved-action-context.js';
import { HeldCommandRegistry } from './gate/held-command-registry.js';
import {
  approvalRequestDecider,
  type ApprovalRequest,
  type ApprovalRequestCommand,
} from './requests/approval-request.js';
import type { ApprovalRequestEvent, ResourceReference } from './requests/events.js';

interface Tasks {
  execute: { requestId: string };
  expire: { requestId: string };
}

/** Executes approved actions. Expires requests that nobody approved or rejected in time. */
@Injectable()
export class ApprovalsProcess extends ProcessManager<Tasks> {
  readonly name = 'approvals';

  constructor(
    clock: WorkspaceClock,
    private readonly aggregates: AggregateStore,
    private readonly held: HeldCommandRegistry,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<ApprovalRequestEvent, Tasks>({
    ApprovalRequested: ({ data: { requestId, expiresAt } }) => [
      { name: 'expire', payload: { requestId }, dueAt: expiresAt },
    ],
    ApprovalGranted: ({ data: { requestId } }) => [{ name: 'execute', payload: { requestId } }],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    expire: async ({ requestId }, context) => {
      await this.change(context, { type: 'ExpireRequest', requestId, at: context.now });
    },
    // After a crash, this task runs again. The action has the same command id each time, so it is done only once.
    execute: async ({ requestId }, context) => {
      const start = { type: 'StartApprovedAction', requestId, at: context.now } as const;
      const request = await this.change(followUpContext(context, 'start'), start);
      if (request.status !== 'executing') return;
      const end = followUpContext(context, 'end');
      try {
        const result = await this.run(context, request);
        await this.change(end, { type: 'CompleteApprovedAction', requestId, at: context.now, result });
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const { code, message } = error;
        await this.change(end, { type: 'FailApprovedAction', requestId, at: context.now, code, message });
      }
    },
  };

  /**
   * Runs an approved action in the name of the person who requested it. The id of the approval request is in the context of the command, so
   * that the approval gate lets the command run.
   */
  private async run(context: CommandContext, request: ApprovalRequest): Promise<ResourceReference> {
    const { command, decidedBy } = request;
    if (typeof command === 'string') throw new CustomerErased();
    return this.held.run(approvedActionContext(context, request, decidedBy!), command);
  }

  private async change(context: CommandContext, command: ApprovalRequestCommand): Promise<ApprovalRequest> {
    const id = aggregateId(context.workspaceId, command.requestId);
    return (await this.aggregates.execute(approvalRequestDecider, id, context, command)).state;
  }
}

/** The error of an approved action that cannot be executed, because its data was erased with the customer's personal data. */
class CustomerErased extends AppError {
  readonly status = 409;

  constructor() {
    super(
      'customer_erased',
      'The personal data of the customer was erased, also from this request, so the action cannot be executed',
    );
  }
}

/** Tells whether an error is final. Errors that are not final are temporary, so the task is tried again. */
function isRefusal(error: unknown): error is AppError {
  return (
    error instanceof AppError && !(error instanceof Unavailable) && error.code !== 'concurrent_modification'
  );
}
