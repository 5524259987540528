import { Injectable } from '@nestjs/common';
import { WorkspacePeople } from '#libs/contexts/identity';
import { Conflict } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, follow, idFor, type CommandContext } from '#libs/kernel/event-store';
import type { ApprovalAction } from '../actions.js';
import { needsApproval } from '../policies/approval-policies.js';
import { CurrentApprovalPolicies } from '../policies/current-policies.js';
import { approvalRequestDecider, type ApprovalRequest } from '../requests/approval-request.js';
import type { ProposedAction } from '../requests/events.js';
import { ActionHeld } from './action-held.js';

/**
 * Holds actions that need approval. The handler of each such command passes the gate before it changes anything, so no way to the command
 * leads around the gate. The system's own work (billing, retries) passes freely.
 */
@Injectable()
export class ApprovalGate {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly policies: CurrentApprovalPolicies,
    private readonly people: WorkspacePeople,
  ) {}

  /**
   * Returns if the command may run now. Throws ActionHeld if it waits for approval: the request is then stored. A repeated command finds
   * the request of the first one. Throws Conflict (`approval_outdated`) if it was approved with another amount.
   *
   * @param propose says what the command would do, by a decision that is not stored. It throws the errors of the command, so that nothing
   *   impossible is held. It returns undefined if the command changes nothing, or has run already.
   */
  async pass(
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
    const policy = await this.policies.of(workspaceId, action);
    if (!policy.enabled) return;
    const requestId = requestIdOf(context);
    const id = aggregateId(workspaceId, requestId);
    if (context.mayRepeat) {
      const earlier = await this.aggregates.load(approvalRequestDecider, id);
      if (earlier) throw new ActionHeld(earlier);
    }
    const proposed = await propose();
    if (!proposed || !needsApproval(policy, proposed)) return;
    const { type, id: actorId } = actor;
    const { state } = await this.aggregates.execute(
      approvalRequestDecider,
      id,
      follow(context, 'request-approval'),
      {
        ...{ type: 'RequestApproval', at, requestId, action, proposed },
        requestedBy: { type, id: actorId, userId: await this.people.userBehind(workspaceId, actor) },
        expiresInDays: policy.expiresInDays,
      },
    );
    throw new ActionHeld(state);
  }

  /** Returns the approved request because of which the command runs. That there is none is a defect. */
  private async requireApproval(
    workspaceId: string,
    action: ApprovalAction,
    requestId: string,
  ): Promise<ApprovalRequest> {
    const request = await this.aggregates.load(approvalRequestDecider, aggregateId(workspaceId, requestId));
    if (request?.status !== 'executing' || request.action !== action)
      throw new Error(`The request ${requestId} is no approval of ${action} that is being executed`);
    return request;
  }
}

/** Refuses an action over another amount than the one that was approved, such as the rest of an invoice that was credited meanwhile. */
function requireUnchanged(approved: ApprovalRequest, proposed: ProposedAction | undefined): void {
  if (!proposed || (proposed.amount === approved.amount && proposed.currency === approved.currency)) return;
  const shown = ({ amount, currency }: Pick<ProposedAction, 'amount' | 'currency'>) =>
    amount === null ? 'no amount' : `${amount} ${currency}`;
  throw new Conflict(
    'approval_outdated',
    `The approval was for ${shown(approved)}, but it would be ${shown(proposed)} now; send the action again`,
  );
}

/** The id of the request of a command. It is the same at each repetition, which may not know the time of the first one. */
function requestIdOf(context: CommandContext): string {
  return idFor(context.mayRepeat ? { ...context, idsAt: undefined } : context, 'apr');
}
