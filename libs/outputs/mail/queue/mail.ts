import type { Instant } from '#libs/kernel/core';

/** The states of mail. `withheld`: no mail server is set, so it was never sent. */
export const MAIL_STATUSES = ['pending', 'sent', 'failed', 'withheld'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/** An address, with the name that mail programs show for it. */
export interface Mailbox {
  name?: string;
  address: string;
}

/** What a recipient gets. `text` and `html` say the same. The content is stored encrypted, as JSON. */
export interface MailContent {
  to: Mailbox;
  subject: string;
  text: string;
  html: string;
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
  content: MailContent;
  /** The time of creation, by the machine's clock. */
  createdAt: Instant;
  /** The time from which the mail is not sent any more, by the machine's clock. For example, its link has expired. */
  usefulUntil: Instant;
}

/** Mail as it is stored, with its content encrypted. All times are the machine's. */
export interface StoredMail extends Omit<NewMail, 'content'> {
  content: string;
  status: MailStatus;
  /** The Message-ID header, the same in each attempt; null before the first. */
  messageId: string | null;
  attempts: number;
  /** What the mail server said last, or why nothing was sent, encrypted; null before the first attempt. */
  answer: string | null;
  nextAttemptAt: Instant;
  endedAt: Instant | null;
}
