import type { Instant } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import type { ApprovalRequest } from '../requests/approval-request.js';

/**
 * The fields of an approval request that a mail shows. Mails about approval requests have no personal data of the customer, because the
 * erasure of a customer does not remove mail to users.
 */
export type ApprovalRequestInMail = Pick<
  ApprovalRequest,
  'requestId' | 'action' | 'customerId' | 'resource' | 'amount' | 'currency' | 'expiresAt'
>;

/** A mail that asks a user to decide on a request. */
export interface ApprovalMail {
  mailId: string;
  workspaceId: string;
  /** The name of the workspace; null if it has none. */
  workspaceName: string | null;
  to: { name: string; address: string };
  /** The name of the user who asks for approval; null if this user is not known. */
  requesterName: string | null;
  request: ApprovalRequestInMail;
  /** The address of the approval request in the API. */
  url: string;
  /** The time from which the request can no longer be decided, by the machine's clock. */
  usefulUntil: Instant;
}

/** Sends mail about approval requests. The mail output (`libs/outputs/mail`) implements this class. */
export abstract class ApprovalMails {
  /** Puts a mail into the queue, in the transaction of `tx`. Adding the same `mailId` again changes nothing. */
  abstract add(tx: Queryable, mail: ApprovalMail, correlationId: string): Promise<void>;
}
