import { createHash } from 'node:crypto';
import type { Instant } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import { KeyedDigest, systemClock } from '#libs/kernel/system';
import { createExpiredRowsPruner } from '../create-expired-rows-pruner.js';

/** The purpose of a link in a mail. */
export type LinkPurpose = 'invitation' | 'magic-link' | 'reset-password';

/**
 * The tokens of links in mail. Only their SHA-256 is stored. A token is derived from the task that writes the mail and from the secret of
 * the instance. Because of this derivation, a repeated task writes the same link, and nobody else can compute the token.
 */
export class LinkTokens {
  private readonly digest: KeyedDigest;

  /** @param secret the secret of the instance, which is JWT_SECRET */
  constructor(secret: string) {
    this.digest = new KeyedDigest(secret, 'countinghouse links in mail');
  }

  /**
   * Stores the token of a link in the transaction of `tx`. Returns the token, which has 43 characters for 256 bits. If the same token is
   * stored again, nothing changes, even if the token was used.
   *
   * @param subject the id of the invitation or the user that the link is for
   */
  async add(
    tx: Queryable,
    purpose: LinkPurpose,
    subject: string,
    taskId: string,
    expiresAt: Instant,
  ): Promise<string> {
    const token = this.digest.digestOf(purpose, taskId).toString('base64url');
    await tx.query(
      `INSERT INTO identity.link_tokens (hash, purpose, subject, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING`,
      [hashOf(token), purpose, subject, systemClock.now(), expiresAt],
    );
    return token;
  }
}

/**
 * Returns the subject of a token that can still be used, which is the id of an invitation or a user. Undefined if the token is unknown,
 * used or expired. The look-up does not use up the token.
 */
export async function subjectOfLink(
  db: Pick<Queryable, 'query'>,
  purpose: LinkPurpose,
  token: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ subject: string }>(
    'SELECT subject FROM identity.link_tokens WHERE hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3',
    [hashOf(token), purpose, systemClock.now()],
  );
  return rows[0]?.subject;
}

/**
 * Marks a token as used in the transaction of `tx`, and returns its subject. If several requests use the token at the same time, only one
 * gets the subject. Undefined if the token is unknown, used or expired.
 */
export async function useLink(
  tx: Queryable,
  purpose: LinkPurpose,
  token: string,
): Promise<string | undefined> {
  const now = systemClock.now();
  const { rows } = await tx.query<{ subject: string }>(
    `UPDATE identity.link_tokens SET used_at = $3 WHERE hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3
     RETURNING subject`,
    [hashOf(token), purpose, now],
  );
  return rows[0]?.subject;
}

/** Makes all links for this subject unusable, whatever their purpose, in the transaction of `tx`. */
export async function endLinks(tx: Queryable, subject: string): Promise<void> {
  await tx.query('UPDATE identity.link_tokens SET used_at = $2 WHERE subject = $1 AND used_at IS NULL', [
    subject,
    systemClock.now(),
  ]);
}

export const pruneLinkTokens = createExpiredRowsPruner('link_tokens', 'hash');

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
