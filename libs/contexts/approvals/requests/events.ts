import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Actor, DomainEvent, EventCatalog, EventSpec } from '#libs/kernel/domain';
import type { ApprovalAction } from '../actions.js';

/** A resource of the API. */
export interface ResourceReference {
  type: string;
  id: string;
}

/** A user or an API key, with the person behind it. */
export interface Person extends Pick<Actor, 'type' | 'id'> {
  /** The user who signed in, or who created the API key. Null if nobody knows, as with a customer. */
  userId: string | null;
}

/** A line of what an action does. */
export interface ActionLine {
  description: string;
  /** In the currency of the request. Null if the line has no price. */
  amount: DecimalString | null;
}

/** A field of the resource, before and after the action. */
export interface StateChange {
  field: string;
  before: string | null;
  after: string | null;
  /** The values are decimals, which the API shows as numbers. */
  isNumber?: true;
}

/** A command that waits for approval, as JSON. `kind` says how the program makes the command of `data` again. */
export interface HeldCommand {
  kind: string;
  data: object;
}

/** An action as its request describes it. */
export interface ProposedAction {
  customerId: string;
  resource: ResourceReference;
  /** The amount that a threshold is compared with. Null if the action has none. */
  amount: DecimalString | null;
  /** Null if `amount` is null and no line has an amount. */
  currency: string | null;
  /** The reason or the note of the person who asks. */
  reason: string | null;
  lines: ActionLine[];
  changes: StateChange[];
  command: HeldCommand;
}

/** What every event of a request names. */
interface RequestReference {
  requestId: string;
  customerId: string;
  action: ApprovalAction;
  at: Instant;
}

export type ApprovalRequestEvent =
  | DomainEvent<
      'ApprovalRequested',
      RequestReference & ProposedAction & { requestedBy: Person; expiresAt: Instant }
    >
  | DomainEvent<'ApprovalGranted', RequestReference & { by: Person; note: string | null }>
  | DomainEvent<'ApprovalRejected', RequestReference & { by: Person; note: string | null }>
  | DomainEvent<'ApprovalExpired', RequestReference>
  /** The saga runs the command from here on. It may run the command several times, always under one command id. */
  | DomainEvent<'ApprovedActionStarted', RequestReference>
  | DomainEvent<'ApprovedActionExecuted', RequestReference & { result: ResourceReference }>
  | DomainEvent<'ApprovedActionFailed', RequestReference & { code: string; message: string }>;

const sealing = (...fields: string[]): EventSpec => ({
  version: 1,
  personal: { subject: 'customerId', fields },
});

/** What people wrote is encrypted with the customer's key, since it can say something about the customer. */
export const approvalRequestEvents: EventCatalog<ApprovalRequestEvent> = {
  ApprovalRequested: sealing('reason', 'lines', 'command'),
  ApprovalGranted: sealing('note'),
  ApprovalRejected: sealing('note'),
  ApprovalExpired: { version: 1 },
  ApprovedActionStarted: { version: 1 },
  ApprovedActionExecuted: { version: 1 },
  ApprovedActionFailed: sealing('message'),
};
