import type { Instant } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import type { Role } from '#libs/manifest';

/** A mail with a link to a page of Countinghouse. */
export interface LinkMail {
  mailId: string;
  workspaceId: string;
  /** The id of the invitation or the user that the link is for. */
  about: string;
  to: { name?: string; address: string };
  url: string;
  /** The time at which the link expires, by the machine's clock. */
  expiresAt: Instant;
}

/** The content of a mail to a user, by its kind. */
export type UserMail = LinkMail &
  (
    | {
        kind: 'invitation';
        /** The name of the user who invites; null if an API key invites. */
        inviterName: string | null;
        /** The name of the workspace; null if the workspace has no name. */
        workspaceName: string | null;
        role: Role;
      }
    | { kind: 'magic-link' }
    | { kind: 'reset-password' }
  );

/** Sends mail to users. The library for sending mail (`libs/outputs/mail`) implements this class. */
export abstract class UserMailQueue {
  /** Puts a mail into the queue, in the transaction of `tx`. If a mail with the same `mailId` is added again, nothing changes. */
  abstract add(tx: Queryable, mail: UserMail, correlationId: string): Promise<void>;
}
