import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { WorkspaceNames, WorkspaceUserFinder } from '#libs/contexts/identity';
import { SETTINGS } from '#libs/kernel/app';
import { instantFromMillis, instantToMillis, type Instant } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { ProcessManager, reactByEventType, type TaskHandlers } from '#libs/kernel/saga';
import { publicUrlOf, systemClock, type Settings } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { approvalRequestDecider, canBeApproved } from '../requests/approval-request.js';
import type { ApprovalRequestEvent } from '../requests/events.js';
import { ApprovalMails } from './approval-mails.js';

interface Tasks {
  'mail-approvers': { requestId: string };
}

/** Sends mail to the users who can decide on a new approval request. The user who made the approval request gets no mail. Nobody gets mail
 * about a request that nobody can approve. */
@Injectable()
export class ApprovalMailProcess extends ProcessManager<Tasks> {
  readonly name = 'approval-mail';

  constructor(
    clock: WorkspaceClock,
    private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    private readonly people: WorkspaceUserFinder,
    private readonly workspaces: WorkspaceNames,
    private readonly mails: ApprovalMails,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<ApprovalRequestEvent, Tasks>({
    ApprovalRequested: ({ data: { requestId } }) => [{ name: 'mail-approvers', payload: { requestId } }],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'mail-approvers': ({ requestId }, context) => this.mailApprovers(requestId, context),
  };

  /**
   * Puts all mails into the queue in one transaction. A repeated task adds no second mail, because the ids of the mails derive from the
   * task and the user.
   */
  private async mailApprovers(requestId: string, context: CommandContext): Promise<void> {
    const { workspaceId, correlationId, now } = context;
    const id = aggregateId(workspaceId, requestId);
    const request = await this.aggregates.load(approvalRequestDecider, id);
    if (request?.status !== 'pending' || request.expiresAt <= now) return;
    if (!canBeApproved(request.requestedBy)) return;
    const { userId } = request.requestedBy;
    const [workspaceName, requesterName, approvers] = await Promise.all([
      this.workspaces.nameOf(workspaceId),
      userId === null ? null : this.people.userNameOf(workspaceId, userId),
      this.people.activeUsersWithPermission(workspaceId, 'approvals:write'),
    ]);
    const url = `${publicUrlOf(this.settings)}/v1/approvals/${requestId}`;
    const usefulUntil = machineTimeOf(request.expiresAt, now);
    await inTransaction(this.pool, async (tx) => {
      for (const approver of approvers) {
        if (approver.userId === userId) continue;
        const mail = {
          mailId: idFor(context, 'mail', approver.userId),
          workspaceId,
          workspaceName,
          requesterName,
          to: { name: approver.name, address: approver.email },
          request,
          url,
          usefulUntil,
        };
        await this.mails.add(tx, mail, correlationId);
      }
    });
  }
}

/** Converts a future time of the workspace's clock to a time of the machine's clock. `now` is the present time of the workspace's clock. */
function machineTimeOf(later: Instant, now: Instant): Instant {
  const millis = instantToMillis(later) - instantToMillis(now);
  return instantFromMillis(instantToMillis(systemClock.now()) + millis);
}
