import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Actor, DomainEvent, EventCatalog, EventSpec, Upcaster } from '#libs/kernel/domain';
import type { ApprovalAction } from '../actions.js';

/** Names a resource of the API by its type and its id. */
export interface ResourceReference {
  type: string;
  id: string;
}

/** The user, API key or customer that requested or decided, with the user who is responsible. */
export interface ResponsibleActor extends Pick<Actor, 'id'> {
  type: Exclude<Actor['type'], 'system'>;
  /**
   * The id of the user who signed in, or who created the API key directly or by means of other keys. Null if no user is known, for example
   * because a customer acted.
   */
  userId: string | null;
}

/** A line of the approval request, for example a line of the invoice to void, or the credits to grant. */
export interface ActionLine {
  /** The description of the line for people. */
  description: string;
  /** The amount in the currency of the request. The amount is null if the line has no price. */
  amount: DecimalString | null;
}

/** A field of the resource that the action changes, with its values before and after the action. */
export interface ResourceFieldChange {
  field: string;
  before: string | null;
  after: string | null;
  /** True if the values are decimals. The API shows them as numbers. */
  isNumber?: true;
}

/** A term of the action that the approver sees, for example the plan of a subscription. Another value makes another action. */
export interface ActionTerm {
  name: string;
  value: string | null;
  /** True if the value is a decimal. The API shows it as a number. */
  isNumber?: true;
}

/**
 * A command that waits for approval, as JSON data. To run the command, the program creates it again from `data`, with the function
 * registered for `kind`.
 */
export interface HeldCommand {
  kind: string;
  data: object;
}

/** The effect of an action, as its approval request shows it. */
export interface ProposedAction {
  /** Null if the action is about no single customer, such as a lower price. */
  customerId: string | null;
  resource: ResourceReference;
  /** The amount of the action, which is compared with the policy's threshold. Null if the action has no amount. */
  amount: DecimalString | null;
  /** The currency of the amounts. For a cancellation, the currency of the subscription. Null for a grant of credits without a price. */
  currency: string | null;
  /** The instant at which the action takes effect. Null if it takes effect as soon as it is executed. */
  effectiveAt: Instant | null;
  /**
   * The terms of the action. An approval is for exactly these terms: see `approval_outdated`. The list is empty if the amount says
   * everything, and in requests that were stored before there were terms.
   */
  terms: ActionTerm[];
  /** The reason or note that the requester gave for the action. */
  reason: string | null;
  lines: ActionLine[];
  changes: ResourceFieldChange[];
  command: HeldCommand;
}

/** The fields that every event of a request contains. */
interface RequestReference {
  requestId: string;
  customerId: string | null;
  action: ApprovalAction;
  at: Instant;
}

export type ApprovalRequestEvent =
  | DomainEvent<
      'ApprovalRequested',
      RequestReference & ProposedAction & { requestedBy: ResponsibleActor; expiresAt: Instant }
    >
  | DomainEvent<'ApprovalGranted', RequestReference & { by: ResponsibleActor; note: string | null }>
  | DomainEvent<'ApprovalRejected', RequestReference & { by: ResponsibleActor; note: string | null }>
  | DomainEvent<'ApprovalExpired', RequestReference>
  /** The saga has started to run the command. The saga may run an approved command several times, always with the same command id. */
  | DomainEvent<'ApprovedActionStarted', RequestReference>
  | DomainEvent<'ApprovedActionExecuted', RequestReference & { result: ResourceReference }>
  | DomainEvent<'ApprovedActionFailed', RequestReference & { code: string; message: string }>;

const sealing = (...fields: string[]): EventSpec => ({
  version: 1,
  personal: { subject: 'customerId', fields },
});

/**
 * Version 1 had no `effectiveAt` and no `terms`. The instant of a scheduled cancellation was only among its changes. A cancellation that took
 * effect at once had the status `canceled` there.
 */
const withEffect: Upcaster = (data) => {
  const changes = data['changes'] as ResourceFieldChange[];
  const after = (name: string) => changes.find(({ field }) => field === name)?.after ?? null;
  return { ...data, effectiveAt: after('status') === 'canceled' ? null : after('cancelAt'), terms: [] };
};

/**
 * Texts written by people are encrypted with the customer's key, because they can contain personal data. A request that is about no customer
 * is not encrypted.
 */
export const approvalRequestEvents: EventCatalog<ApprovalRequestEvent> = {
  ApprovalRequested: { ...sealing('reason', 'lines', 'command'), version: 2, upcasters: { 1: withEffect } },
  ApprovalGranted: sealing('note'),
  ApprovalRejected: sealing('note'),
  ApprovalExpired: { version: 1 },
  ApprovedActionStarted: { version: 1 },
  ApprovedActionExecuted: { version: 1 },
  ApprovedActionFailed: sealing('message'),
};
