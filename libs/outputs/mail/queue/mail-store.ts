import type { Instant } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import { RETRYABLE_STATUSES, type MailStatus, type NewMail, type StoredMail } from './mail.js';

/** The state of mail after an attempt, or after the decision not to send it. */
export interface MailResult {
  status: MailStatus;
  /** The new value of the column `answer`: the answer of the mail server, or the reason why the mail was not sent, encrypted. */
  answer: string;
  /** The time of the next attempt. `nextAttemptAt` has an effect only if the mail is still pending. */
  nextAttemptAt: Instant;
}

/** Which mail is listed. Absent conditions select all mail. */
export interface MailFilter {
  workspaceId?: string | undefined;
  status?: MailStatus | undefined;
  /** True to list only mail to customers. */
  toCustomers?: boolean;
  invoiceId?: string | undefined;
}

/** A part of a list. */
export interface MailListPart {
  limit: number;
  offset?: number | undefined;
  /** The number of the mail after which this part of the list begins. */
  after?: readonly string[] | undefined;
}

/** Mail to store; its content and the reason why it is withheld are encrypted. */
type MailToStore = Omit<NewMail, 'content' | 'withheldBecause'> & {
  content: string;
  withheld: string | null;
};

const FIELDS = `id, number, workspace_id AS "workspaceId", kind, about, customer_id AS "customerId", invoice_ids AS "invoiceIds", content, status,
  message_id AS "messageId", attempts, handed_over_at AS "handedOverAt", answer, created_at AS "createdAt", written_at AS "writtenAt",
  useful_until AS "usefulUntil",
  next_attempt_at AS "nextAttemptAt", ended_at AS "endedAt"`;

/** Stores mail, and records the result of each attempt to send it. */
export class MailStore {
  constructor(private readonly db: Queryable) {}

  /** Stores mail in the transaction of `tx`. Storing it again changes nothing. */
  async add(tx: Queryable, { withheld, ...mail }: MailToStore): Promise<void> {
    await tx.query(
      `INSERT INTO mail.messages (id, workspace_id, kind, about, customer_id, invoice_ids, content, created_at, useful_until,
         next_attempt_at, written_at, status, answer, ended_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $8, $10, $11, $12, $13) ON CONFLICT DO NOTHING`,
      [
        mail.id,
        mail.workspaceId,
        mail.kind,
        mail.about,
        mail.customerId ?? null,
        mail.invoiceIds ?? [],
        mail.content,
        mail.createdAt,
        mail.usefulUntil,
        mail.writtenAt ?? null,
        ...(withheld === null ? ['pending', null, null] : ['withheld', withheld, mail.createdAt]),
      ],
    );
  }

  async find(id: string): Promise<StoredMail | undefined> {
    const { rows } = await this.db.query<StoredMail>(`SELECT ${FIELDS} FROM mail.messages WHERE id = $1`, [
      id,
    ]);
    return rows[0];
  }

  /** Returns the mail that matches the filter, newest first. */
  async list(
    { workspaceId, status, toCustomers = false, invoiceId }: MailFilter,
    { limit, offset = 0, after }: MailListPart,
  ): Promise<StoredMail[]> {
    const { rows } = await this.db.query<StoredMail>(
      `SELECT ${FIELDS} FROM mail.messages
       WHERE ($1::text IS NULL OR workspace_id = $1) AND ($2::text IS NULL OR status = $2)
         AND (NOT $3 OR customer_id IS NOT NULL) AND ($4::text IS NULL OR invoice_ids @> ARRAY[$4::text])
         AND ($7::bigint IS NULL OR number < $7)
       ORDER BY number DESC LIMIT $5 OFFSET $6`,
      [
        workspaceId ?? null,
        status ?? null,
        toCustomers,
        invoiceId ?? null,
        limit,
        offset,
        after?.[0] ?? null,
      ],
    );
    return rows;
  }

  /** Returns a map from the id of each mail to its status. The result does not contain mail that was removed or never stored. */
  async statusesOf(workspaceId: string, ids: readonly string[]): Promise<Map<string, MailStatus>> {
    const { rows } = await this.db.query<{ id: string; status: MailStatus }>(
      'SELECT id, status FROM mail.messages WHERE workspace_id = $1 AND id = ANY($2)',
      [workspaceId, ids],
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  }

  /**
   * Sets the Message-ID before mail is first sent to the mail server. Returns the Message-ID that was set first, which is the same for all
   * attempts.
   */
  async setMessageIdOnce(id: string, messageId: string): Promise<string> {
    const { rows } = await this.db.query<{ messageId: string }>(
      `UPDATE mail.messages SET message_id = coalesce(message_id, $2) WHERE id = $1 RETURNING message_id AS "messageId"`,
      [id, messageId],
    );
    return rows[0]!.messageId;
  }

  /**
   * Stores that this attempt now sends the end of the message to the mail server. Returns false if another attempt has sent the end of the
   * message before, or if the mail is not pending. If `markHandedOver` returns false, the attempt must not continue.
   */
  async markHandedOver(id: string, earlierAttempts: number, at: Instant): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `UPDATE mail.messages SET handed_over_at = $3
       WHERE id = $1 AND attempts = $2 AND status = 'pending' AND handed_over_at IS NULL`,
      [id, earlierAttempts, at],
    );
    return rowCount === 1;
  }

  /**
   * Records an attempt and its result. Mail with the status `unknown` becomes `sent` or `failed` if the mail server's answer came late.
   * Mail that is neither pending nor `unknown` keeps its status. Nothing is recorded while another attempt has handed over the message.
   */
  async recordAttempt(
    id: string,
    { earlierAttempts, handedOverAt }: { earlierAttempts: number; handedOverAt: Instant | null },
    at: Instant,
    result: MailResult,
  ): Promise<void> {
    const { status, answer, nextAttemptAt } = result;
    await this.db.query(
      `UPDATE mail.messages SET status = $2, answer = $3, next_attempt_at = $4, handed_over_at = NULL, ended_at = $5,
         attempts = attempts + CASE status WHEN 'pending' THEN 1 ELSE 0 END
       WHERE id = $1 AND (
         (status = 'pending' AND attempts = $6 AND handed_over_at IS NOT DISTINCT FROM $7::timestamptz)
         OR (status = 'unknown' AND $2 IN ('sent', 'failed') AND $7::timestamptz IS NOT NULL))`,
      [id, status, answer, nextAttemptAt, status === 'pending' ? null : at, earlierAttempts, handedOverAt],
    );
  }

  /** Ends pending mail without an attempt. */
  async endWithoutAttempt(
    id: string,
    at: Instant,
    status: 'failed' | 'withheld',
    answer: string,
  ): Promise<void> {
    await this.db.query(
      `UPDATE mail.messages SET status = $2, answer = $3, next_attempt_at = $4, ended_at = $4
       WHERE id = $1 AND status = 'pending'`,
      [id, status, answer, at],
    );
  }

  /**
   * Makes failed or unknown mail pending again, and lets pending mail be attempted at once. Returns false if `usefulUntil` has passed, if
   * the next attempt is due already, or while an attempt has handed over the message and waits for the answer.
   */
  async retry(tx: Queryable, id: string, at: Instant): Promise<boolean> {
    const { rowCount } = await tx.query(
      `UPDATE mail.messages SET status = 'pending', ended_at = NULL, handed_over_at = NULL, next_attempt_at = $2
       WHERE id = $1 AND status = ANY($3) AND useful_until > $2 
         AND (status <> 'pending' OR (handed_over_at IS NULL AND next_attempt_at > $2))`,
      [id, at, RETRYABLE_STATUSES],
    );
    return rowCount === 1;
  }

  /** Removes the mail of a customer, and returns the number of removed mails. */
  async removeOfCustomer(workspaceId: string, customerId: string): Promise<number> {
    const { rowCount } = await this.db.query(
      'DELETE FROM mail.messages WHERE workspace_id = $1 AND customer_id = $2',
      [workspaceId, customerId],
    );
    return rowCount ?? 0;
  }
}
