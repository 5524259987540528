import { Injectable } from '@nestjs/common';
import { WorkspaceUserFinder } from '#libs/contexts/identity';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, idFor, type CommandContext } from '#libs/kernel/event-store';
import type { ApprovalAction } from '../actions.js';
import { needsApproval } from '../policies/approval-policies.js';
import { CurrentApprovalPolicies } from '../policies/current-policies.js';
import { approvalRequestDecider, type ApprovalRequest } from '../requests/approval-request.js';
import type { ProposedAction } from '../requests/events.js';
import { ActionHeld } from './action-held.js';
import { requireUnchanged } from './require-unchanged.js';

/**
 * Holds actions that need approval. The command handlers of actions that can need approval call the gate before they change anything. So no
 * caller of a command can avoid the gate. Commands of the system itself, such as billing and retries, need no approval.
 */
@Injectable()
export class ApprovalGate {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly policies: CurrentApprovalPolicies,
    private readonly people: WorkspaceUserFinder,
  ) {}

  /**
   * Returns normally if the command may run now. If the command needs approval, the gate stores an approval request and throws ActionHeld.
   * A repeated command finds the approval request that its first attempt stored, even if the policy is disabled meanwhile. Throws Conflict
   * (`approval_outdated`) if the action would do something else than what was approved: see requireUnchanged.
   *
   * @param propose returns the action that the command would execute, without storing anything. `propose` throws the errors of the command,
   *   so that a command that would fail gets no approval request. `propose` returns undefined if the command changes nothing, or has run
   *   already.
   */
  async requireApprovalIfNeeded(
    context: CommandContext,
    action: ApprovalAction,
    propose: () => Promise<ProposedAction | undefined>,
  ): Promise<void> {
    const { workspaceId, actor, now: at } = context;
    if (actor.approval) {
      const approved = await this.requireApproval(workspaceId, action, actor.approval.requestId);
      requireUnchanged(approved, await propose());
      return;
    }
    if (actor.type === 'system') return;
    const requestId = requestIdOf(context);
    const id = aggregateId(workspaceId, requestId);
    // The first attempt of the command may have been held, and rejected, although the policy was disabled since then.
    if (context.mayRepeat) {
      const earlier = await this.aggregates.load(approvalRequestDecider, id);
      if (earlier) throw new ActionHeld(earlier);
    }
    const policy = await this.policies.policyFor(workspaceId, action);
    if (!policy.enabled) return;
    const proposed = await propose();
    if (!proposed || !needsApproval(policy, proposed)) return;
    const { state } = await this.aggregates.execute(
      approvalRequestDecider,
      id,
      followUpContext(context, 'request-approval'),
      {
        type: 'RequestApproval',
        at,
        requestId,
        action,
        proposed,
        requestedBy: {
          type: actor.type,
          id: actor.id,
          userId: await this.people.userIdOfActor(workspaceId, actor),
        },
        expiresInDays: policy.expiresInDays,
      },
    );
    throw new ActionHeld(state);
  }

  /**
   * Returns the approved request that the command executes. Throws an Error if there is no such approved request, because that is a defect
   * of the program.
   */
  private async requireApproval(
    workspaceId: string,
    action: ApprovalAction,
    requestId: string,
  ): Promise<ApprovalRequest> {
    const request = await this.aggregates.load(approvalRequestDecider, aggregateId(workspaceId, requestId));
    if (request?.status !== 'executing' || request.action !== action)
      throw new Error(
        `The request ${requestId} is not an approved request for ${action} that is being executed`,
      );
    return request;
  }
}

/** The id of the approval request of a command. A repeated command gets the same approval request id. */
function requestIdOf(context: CommandContext): string {
  return idFor(context.mayRepeat ? { ...context, idTime: undefined } : context, 'apr');
}
