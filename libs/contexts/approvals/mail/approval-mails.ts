import type { Instant } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import type { ApprovalRequest } from '../requests/approval-request.js';

/** The parts of a request that mail shows. They have no personal data of the customer, since an erasure does not reach mail. */
export type MailedRequest = Pick<
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
  /** The name of the user who asks; null if nobody knows which user it is. */
  requesterName: string | null;
  request: MailedRequest;
  /** The address of the request in the API. */
  url: string;
  /** The time from which on nobody can decide, by the machine's clock. */
  usefulUntil: Instant;
}

/** Sends mail about approval requests. The output for mail implements it. */
export abstract class ApprovalMails {
  /** Puts a mail into the queue, in the transaction of `tx`. Adding the same `mailId` again changes nothing. */
  abstract add(tx: Queryable, mail: ApprovalMail, correlationId: string): Promise<void>;
}
