import type { Instant } from '#libs/kernel/core';

/**
 * The states of mail. `withheld`: the mail was never sent, because no mail server is set, the sandbox does not allow the address, or a
 * condition of the mail does not hold any more. `unknown`: the mail server received the whole message, but did not answer whether it
 * accepted the message.
 */
export const MAIL_STATUSES = ['pending', 'sent', 'failed', 'withheld', 'unknown'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/** The states in which `countinghouse mail retry` sends mail: ended mail again, and pending mail before its next attempt is due. */
export const RETRYABLE_STATUSES: readonly MailStatus[] = ['failed', 'unknown', 'pending'];

/** An address, with the name that mail programs show for it. */
export interface Mailbox {
  name?: string;
  address: string;
}

/** A document that is attached. An attached document is made at each attempt, and never stored in the queue. */
export type AttachedDocument =
  | { readonly document: 'invoice' | 'receipt'; readonly invoiceId: string }
  | { readonly document: 'credit_note'; readonly invoiceId: string; readonly creditNoteId: string };

/**
 * The conditions under which mail is sent, checked at the moment of sending. If a condition does not hold, the mail is withheld. An absent
 * condition holds.
 */
export interface SendConditions {
  /** The mail is sent only while the customer still has to pay one of these invoices. */
  whileOwed?: readonly string[];
  /** The mail is sent only if neither the invoice nor, if given, its credit note is void. */
  unlessVoid?: { readonly invoiceId: string; readonly creditNoteId?: string };
  /** The mail is sent only if the recorded payment of the invoice was not reversed. */
  unlessReversed?: { readonly invoiceId: string; readonly paymentId: string };
}

/** What a recipient gets. `text` and `html` have the same content. The content is stored encrypted, as JSON. */
export interface MailContent extends SendConditions {
  to: Mailbox;
  subject: string;
  text: string;
  html: string;
  /** The name of the sender. If absent, the sender has the name in MAIL_FROM. The sender's address is always the address in MAIL_FROM. */
  senderName?: string;
  /** The address for answers. If absent, answers go to the sender's address. */
  replyTo?: string;
  attachments?: readonly AttachedDocument[];
}

/** Mail that is to be sent. */
export interface NewMail {
  /** The id, `mail_…`. Mail with an id that is already stored is not stored again. */
  id: string;
  workspaceId: string;
  /** The kind of the mail, such as `invitation`. */
  kind: string;
  /**
   * The id of the resource that the mail is about, such as `usr_…`. The id is stored unencrypted, because an id alone does not tell who a
   * person is.
   */
  about: string;
  /** The customer who gets the mail. Absent if the mail goes to a user. */
  customerId?: string;
  /** The invoices that the mail is about. Absent if there are none. */
  invoiceIds?: readonly string[];
  content: MailContent;
  /** The time of creation, by the machine's clock. */
  createdAt: Instant;
  /** The time of creation, by the workspace's clock. Absent if the mail goes to a user. */
  writtenAt?: Instant;
  /**
   * The time from which the mail is not sent any more, by the machine's clock. The limit is, for example, the time at which the link in the
   * mail expires.
   */
  usefulUntil: Instant;
  /** The reason why the mail is stored but never sent. Absent if it is sent. */
  withheldBecause?: string;
}

/** Mail as it is stored, with its content encrypted. All times except `writtenAt` are by the machine's clock. */
export interface StoredMail extends Pick<
  NewMail,
  'id' | 'workspaceId' | 'kind' | 'about' | 'createdAt' | 'usefulUntil'
> {
  /** The number of the mail in the queue, by which lists are ordered. */
  number: string;
  /** Null if the mail goes to a user. */
  customerId: string | null;
  /** Null if the mail goes to a user, or was written by a version that did not store this time. */
  writtenAt: Instant | null;
  invoiceIds: string[];
  content: string;
  status: MailStatus;
  /** The Message-ID header, which is the same in each attempt. Null until the first attempt that has made all attached files. */
  messageId: string | null;
  /** The number of attempts so far. An attempt whose attached files could not be made counts too. */
  attempts: number;
  /** The time at which the end of the message was sent to a mail server that has not answered yet. Null at all other times. */
  handedOverAt: Instant | null;
  /**
   * The column `answer` of `mail.messages`, encrypted: the last answer of the mail server, or the reason why the mail was not sent. Null
   * while neither an attempt nor a reason is recorded. `countinghouse mail` prints the decrypted text under the same name.
   */
  answer: string | null;
  /** The time of the next attempt, while the mail is pending. */
  nextAttemptAt: Instant;
  /** The time at which the mail got its final status; null while it is pending. */
  endedAt: Instant | null;
}
