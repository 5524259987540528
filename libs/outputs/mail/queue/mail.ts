import type { Instant } from '#libs/kernel/core';

/**
 * The states of mail. `withheld`: it was never sent, because no mail server is set, the sandbox does not allow the address, or there is
 * nothing to tell any more. `unknown`: the server got all of it, and nobody knows whether it took it.
 */
export const MAIL_STATUSES = ['pending', 'sent', 'failed', 'withheld', 'unknown'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/** The states from which `countinghouse mail retry` sends mail again. */
export const RETRIED_STATUSES: readonly MailStatus[] = ['failed', 'unknown'];

/** An address, with the name that mail programs show for it. */
export interface Mailbox {
  name?: string;
  address: string;
}

/** A document that is attached. It is made at each attempt, and never stored in the queue. */
export type AttachedDocument =
  | { readonly document: 'invoice' | 'receipt'; readonly invoiceId: string }
  | { readonly document: 'credit_note'; readonly invoiceId: string; readonly creditNoteId: string };

/** What must be true at the moment of sending. If it is not, the mail is withheld. An absent condition holds. */
export interface SendConditions {
  /** One of these invoices is owed. */
  whileOwed?: readonly string[];
  /** The invoice is not void, or the credit note of it. */
  unlessVoid?: { readonly invoiceId: string; readonly creditNoteId?: string };
  /** The recorded payment of the invoice was not reversed. */
  unlessReversed?: { readonly invoiceId: string; readonly paymentId: string };
}

/** What a recipient gets. `text` and `html` say the same. The content is stored encrypted, as JSON. */
export interface MailContent extends SendConditions {
  to: Mailbox;
  subject: string;
  text: string;
  html: string;
  /** The name of the sender. If absent, it is that of MAIL_FROM. The address is always that of MAIL_FROM. */
  senderName?: string;
  /** The address for answers. If absent, it is the sender's. */
  replyTo?: string;
  attachments?: readonly AttachedDocument[];
}

/** Mail that is to be sent. */
export interface NewMail {
  /** The id, `mail_…`. Mail with an id that is known already is not stored again. */
  id: string;
  workspaceId: string;
  /** What kind of mail it is, such as `invitation`. */
  kind: string;
  /** The id of the resource that the mail is about, such as `usr_…`. The id alone does not tell who the person is. */
  about: string;
  /** The customer who gets it. Absent if it goes to a user. */
  customerId?: string;
  /** The invoices that it concerns. Absent if there are none. */
  invoiceIds?: readonly string[];
  content: MailContent;
  /** The time of creation, by the machine's clock. */
  createdAt: Instant;
  /** The time of creation, by the workspace's clock. Absent if it goes to a user. */
  writtenAt?: Instant;
  /** The time from which the mail is not sent any more, by the machine's clock. For example, its link has expired. */
  usefulUntil: Instant;
  /** Why the mail is stored and never sent. Absent if it is sent. */
  withheldBecause?: string;
}

/** Mail as it is stored, with its content encrypted. All times but `writtenAt` are the machine's. */
export interface StoredMail extends Pick<
  NewMail,
  'id' | 'workspaceId' | 'kind' | 'about' | 'createdAt' | 'usefulUntil'
> {
  /** The number of the mail in the queue, which orders lists. */
  number: string;
  /** Null if the mail goes to a user. */
  customerId: string | null;
  /** Null if the mail goes to a user, or was written before this was kept. */
  writtenAt: Instant | null;
  invoiceIds: string[];
  content: string;
  status: MailStatus;
  /** The Message-ID header, the same in each attempt; null before the first. */
  messageId: string | null;
  attempts: number;
  /** The time at which the end of the message was handed to a server that has not answered it. Null at all other times. */
  handedOverAt: Instant | null;
  /** What the mail server said last, or why nothing was sent, encrypted; null before the first attempt. */
  answer: string | null;
  nextAttemptAt: Instant;
  endedAt: Instant | null;
}
