import type { Instant } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import type { MailStatus, StoredMail } from './mail.js';

/** The state of mail after an attempt, or after the decision to make none. */
export interface MailResult {
  status: MailStatus;
  /** Encrypted. */
  answer: string;
  /** The time of the next attempt. It has no effect unless the mail is still pending. */
  nextAttemptAt: Instant;
}

/** Which mail is listed. Absent conditions select all mail. */
export interface MailFilter {
  workspaceId?: string | undefined;
  status?: MailStatus | undefined;
}

const FIELDS = `id, workspace_id AS "workspaceId", kind, about, content, status, message_id AS "messageId", attempts, answer,
  created_at AS "createdAt", useful_until AS "usefulUntil", next_attempt_at AS "nextAttemptAt", ended_at AS "endedAt"`;

/** Stores mail, and records the result of each attempt to send it. */
export class MailStore {
  constructor(private readonly db: Queryable) {}

  /** Stores mail in the transaction of `tx`. Storing it again changes nothing. */
  async add(
    tx: Queryable,
    mail: Pick<StoredMail, 'id' | 'workspaceId' | 'kind' | 'about' | 'content' | 'createdAt' | 'usefulUntil'>,
  ): Promise<void> {
    await tx.query(
      `INSERT INTO mail.messages (id, workspace_id, kind, about, content, created_at, useful_until, next_attempt_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $6) ON CONFLICT DO NOTHING`,
      [mail.id, mail.workspaceId, mail.kind, mail.about, mail.content, mail.createdAt, mail.usefulUntil],
    );
  }

  async find(id: string): Promise<StoredMail | undefined> {
    const { rows } = await this.db.query<StoredMail>(`SELECT ${FIELDS} FROM mail.messages WHERE id = $1`, [
      id,
    ]);
    return rows[0];
  }

  /** Newest first. */
  async list({ workspaceId, status }: MailFilter, limit: number): Promise<StoredMail[]> {
    const { rows } = await this.db.query<StoredMail>(
      `SELECT ${FIELDS} FROM mail.messages
       WHERE ($1::text IS NULL OR workspace_id = $1) AND ($2::text IS NULL OR status = $2) ORDER BY number DESC LIMIT $3`,
      [workspaceId ?? null, status ?? null, limit],
    );
    return rows;
  }

  /** Sets the Message-ID before the first attempt. Returns the one that was set first, which all attempts have. */
  async setMessageIdOnce(id: string, messageId: string): Promise<string> {
    const { rows } = await this.db.query<{ messageId: string }>(
      `UPDATE mail.messages SET message_id = coalesce(message_id, $2) WHERE id = $1 RETURNING message_id AS "messageId"`,
      [id, messageId],
    );
    return rows[0]!.messageId;
  }

  /** Records an attempt of pending mail, and its result. */
  async recordAttempt(id: string, at: Instant, result: MailResult): Promise<void> {
    await this.record(id, at, result, 1);
  }

  /** Ends pending mail without an attempt. */
  async endWithoutAttempt(
    id: string,
    at: Instant,
    status: 'failed' | 'withheld',
    answer: string,
  ): Promise<void> {
    await this.record(id, at, { status, answer, nextAttemptAt: at }, 0);
  }

  private async record(id: string, at: Instant, result: MailResult, attempts: number): Promise<void> {
    const { status, answer, nextAttemptAt } = result;
    await this.db.query(
      `UPDATE mail.messages SET status = $2, answer = $3, next_attempt_at = $4, attempts = attempts + $5, ended_at = $6
       WHERE id = $1 AND status = 'pending'`,
      [id, status, answer, nextAttemptAt, attempts, status === 'pending' ? null : at],
    );
  }
}
