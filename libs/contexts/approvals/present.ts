import { jsonNumber, type Instant } from '#libs/kernel/core';
import { describeAction, type ApprovalAction } from './actions.js';
import type { ApprovalPolicy } from './policies/events.js';
import type { ApprovalRequest } from './requests/approval-request.js';
import type { ActionTerm, ResponsibleActor, ResourceFieldChange } from './requests/events.js';

/** Converts a policy to its form in the API. */
export function presentApprovalPolicy(
  action: ApprovalAction,
  policy: ApprovalPolicy & { updatedAt: Instant },
) {
  const { enabled, thresholdAmount, thresholdCurrency, expiresInDays, updatedAt } = policy;
  return {
    action,
    ...describeAction(action),
    enabled,
    thresholdAmount: thresholdAmount === null ? null : jsonNumber(thresholdAmount),
    thresholdCurrency,
    expiresInDays,
    updatedAt,
  };
}

/** Converts a request to its form in the API. A request about an erased customer has no lines. */
export function presentApprovalRequest(request: ApprovalRequest) {
  const { requestId: id, action, status, customerId, resource, amount, currency, reason, lines } = request;
  const { requestedBy, requestedAt, expiresAt, decidedBy, decidedAt, note, finishedAt } = request;
  return {
    id,
    action,
    label: describeAction(action).label,
    status,
    customerId,
    resource,
    amount: amount === null ? null : jsonNumber(amount),
    currency,
    reason,
    lines: (typeof lines === 'string' ? [] : lines).map((line) => ({
      description: line.description,
      amount: line.amount === null ? null : jsonNumber(line.amount),
    })),
    effectiveAt: request.effectiveAt,
    terms: request.terms.map(presentTerm),
    changes: request.changes.map(presentChange),
    requestedBy: presentPerson(requestedBy),
    requestedAt,
    expiresAt,
    decidedBy: decidedBy && presentPerson(decidedBy),
    decidedAt,
    note,
    finishedAt,
    result: request.result,
    failure: request.failure,
  };
}

function presentPerson({ type, id, userId }: ResponsibleActor) {
  return { type, id, userId };
}

function presentTerm({ name, value, isNumber }: ActionTerm) {
  return { name, value: value !== null && isNumber ? jsonNumber(value) : value };
}

function presentChange({ field, before, after, isNumber }: ResourceFieldChange) {
  const value = (text: string | null) => (text !== null && isNumber ? jsonNumber(text) : text);
  return { field, before: value(before), after: value(after) };
}
