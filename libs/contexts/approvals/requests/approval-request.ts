import { addSeconds, Conflict, Forbidden, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider, erasedValue, mapPersonalFields, requireCreated } from '#libs/kernel/domain';
import type { ApprovalAction } from '../actions.js';
import {
  approvalRequestEvents,
  type ActionLine,
  type ApprovalRequestEvent,
  type HeldCommand,
  type ResponsibleActor,
  type ProposedAction,
  type ResourceReference,
} from './events.js';

export const APPROVAL_STATUSES = [
  'pending',
  'approved',
  'executing',
  'executed',
  'failed',
  'rejected',
  'expired',
] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** The text that replaces `lines` and `command` after the customer's personal data was erased. */
type Erased = string;

/** A request to do something that needs the approval of a second person. */
export interface ApprovalRequest extends Omit<ProposedAction, 'lines' | 'command'> {
  requestId: string;
  action: ApprovalAction;
  status: ApprovalStatus;
  lines: ActionLine[] | Erased;
  command: HeldCommand | Erased;
  requestedBy: ResponsibleActor;
  requestedAt: Instant;
  /** The instant from which the request can no longer be approved or rejected. */
  expiresAt: Instant;
  decidedBy: ResponsibleActor | null;
  decidedAt: Instant | null;
  /** The note that was given with the approval or the rejection. Null if there is none. */
  note: string | null;
  /** The instant at which the action was executed, or at which it failed. */
  finishedAt: Instant | null;
  /** The resource that the action changed or created. Null if the action was not executed yet. */
  result: ResourceReference | null;
  /** The error with which the action failed. Null if the action succeeded, or was not executed. */
  failure: { code: string; message: string } | null;
}

interface Decision {
  at: Instant;
  by: ResponsibleActor;
  note: string | null;
}

export type ApprovalRequestCommand =
  | {
      type: 'RequestApproval';
      at: Instant;
      requestId: string;
      action: ApprovalAction;
      proposed: ProposedAction;
      requestedBy: ResponsibleActor;
      expiresInDays: number;
    }
  /** `mayApprove` is true if the user behind the decision is active and has a role that may approve. */
  | ({ type: 'ApproveRequest'; requestId: string; mayApprove: boolean } & Decision)
  | ({ type: 'RejectRequest'; requestId: string } & Decision)
  | { type: 'ExpireRequest'; requestId: string; at: Instant }
  | { type: 'StartApprovedAction'; requestId: string; at: Instant }
  | { type: 'CompleteApprovedAction'; requestId: string; at: Instant; result: ResourceReference }
  | { type: 'FailApprovedAction'; requestId: string; at: Instant; code: string; message: string };

const DAY_SECONDS = 86_400;

export const approvalRequestDecider = defineDecider<
  ApprovalRequest,
  ApprovalRequestCommand,
  ApprovalRequestEvent
>({
  category: 'approvalRequest',
  events: approvalRequestEvents,
  decide(command, state) {
    switch (command.type) {
      case 'RequestApproval': {
        const { type: _, proposed, expiresInDays, ...details } = command;
        const expiresAt = addSeconds(command.at, expiresInDays * DAY_SECONDS);
        // A repeated command creates no second request.
        return state ? [] : [{ type: 'ApprovalRequested', data: { ...details, ...proposed, expiresAt } }];
      }
      case 'ApproveRequest':
        return approve(command, requireApprovalRequest(command.requestId, state));
      case 'RejectRequest':
        return decideRequest('ApprovalRejected', command, requireApprovalRequest(command.requestId, state));
      case 'ExpireRequest': {
        const request = requireApprovalRequest(command.requestId, state);
        if (request.status !== 'pending') return [];
        return [{ type: 'ApprovalExpired', data: referenceOf(request, command.at) }];
      }
      case 'StartApprovedAction': {
        const request = requireApprovalRequest(command.requestId, state);
        if (request.status !== 'approved') return [];
        return [{ type: 'ApprovedActionStarted', data: referenceOf(request, command.at) }];
      }
      case 'CompleteApprovedAction': {
        const request = requireApprovalRequest(command.requestId, state);
        if (request.status !== 'executing') return [];
        const data = { ...referenceOf(request, command.at), result: command.result };
        return [{ type: 'ApprovedActionExecuted', data }];
      }
      case 'FailApprovedAction': {
        const request = requireApprovalRequest(command.requestId, state);
        if (request.status !== 'executing') return [];
        const { code, message } = command;
        return [
          { type: 'ApprovedActionFailed', data: { ...referenceOf(request, command.at), code, message } },
        ];
      }
    }
  },
  evolve(state, event) {
    if (event.type === 'ApprovalRequested') {
      const { at: requestedAt, ...details } = event.data;
      return {
        ...details,
        status: 'pending',
        requestedAt,
        decidedBy: null,
        decidedAt: null,
        note: null,
        finishedAt: null,
        result: null,
        failure: null,
      };
    }
    const request = requireCreated(state, event);
    switch (event.type) {
      case 'ApprovalGranted':
      case 'ApprovalRejected': {
        const { by: decidedBy, at: decidedAt, note } = event.data;
        const status = event.type === 'ApprovalGranted' ? 'approved' : 'rejected';
        return { ...request, status, decidedBy, decidedAt, note };
      }
      case 'ApprovalExpired':
        return { ...request, status: 'expired' };
      case 'ApprovedActionStarted':
        return { ...request, status: 'executing' };
      case 'ApprovedActionExecuted': {
        const { at: finishedAt, result } = event.data;
        return { ...request, status: 'executed', finishedAt, result };
      }
      case 'ApprovedActionFailed': {
        const { at: finishedAt, code, message } = event.data;
        return { ...request, status: 'failed', finishedAt, failure: { code, message } };
      }
    }
  },
  withoutPersonalData: (request) =>
    mapPersonalFields(request, ['reason', 'lines', 'command', 'note', 'failure.message'], erasedValue),
});

/** Returns the request. Throws NotFound if the workspace has no request with this id. */
export function requireApprovalRequest(
  requestId: string,
  request: ApprovalRequest | undefined,
): ApprovalRequest {
  if (!request) throw NotFound.of('approval request', requestId);
  return request;
}

/** Approves a request. The approver must not be the requester, and must be allowed to approve at this time. */
function approve(
  command: Extract<ApprovalRequestCommand, { type: 'ApproveRequest' }>,
  request: ApprovalRequest,
): ApprovalRequestEvent[] {
  requireOtherPerson(command.by, request);
  if (!command.mayApprove)
    throw new Forbidden(
      'approver_not_allowed',
      'The user who created this API key is deactivated, or has no role that may approve; another user must approve the request',
    );
  return decideRequest('ApprovalGranted', command, request);
}

/** Approves or rejects a request. An approval request is decided only once. */
function decideRequest(
  type: 'ApprovalGranted' | 'ApprovalRejected',
  { at, by, note }: Decision,
  request: ApprovalRequest,
): ApprovalRequestEvent[] {
  if (request.status !== 'pending')
    throw new Conflict(
      'approval_decided',
      `The request is ${request.status}; only a pending request can be approved or rejected`,
    );
  if (at >= request.expiresAt)
    throw new Conflict(
      'approval_expired',
      `The request expired at ${request.expiresAt}; send the action again to get a new request`,
    );
  return [{ type, data: { ...referenceOf(request, at), by, note } }];
}

/** Tells whether somebody can approve a request. The creator of an API key who is not known could be any user, also the approver. */
export function canBeApproved({ type, userId }: ResponsibleActor): boolean {
  return type !== 'api_key' || userId !== null;
}

function requireOtherPerson(by: ResponsibleActor, { requestedBy }: ApprovalRequest): void {
  if (by.userId === null)
    throw new Forbidden(
      'approver_unknown',
      'The user who created this API key is not known; sign in as a user to approve',
    );
  if (!canBeApproved(requestedBy))
    throw new Forbidden(
      'requester_unknown',
      'The user who created the API key of the request is not known, and could be you; send the action again with another credential',
    );
  if (by.userId === requestedBy.userId || (by.type === requestedBy.type && by.id === requestedBy.id))
    throw new Forbidden(
      'own_request',
      'The request comes from you or from an API key that you created; another user must approve it',
    );
}

function referenceOf({ requestId, customerId, action }: ApprovalRequest, at: Instant) {
  return { requestId, customerId, action, at };
}
