import type { Pool } from 'pg';
import { TextCipher, type InstanceSecrets } from '#libs/kernel/system';
import { pagesOfAnswers } from './answers-about.js';
import { ANSWERS_KEY_PURPOSE } from './idempotent-requests.js';

/**
 * Removes the stored answers to a workspace's requests if the path, the query or the body of the request, or the body of the answer, names
 * one of `ids`. If the request is sent again with its idempotency key, it has the same command id as the first time, so it appends no
 * further events. If it created a credential, that credential gets a new secret.
 *
 * Answers that were encrypted with another secret are removed too, since nobody can read them. So are answers of earlier versions, which
 * were stored without what their request named, and with the text of their key.
 */
export async function eraseAnswers(
  pool: Pool,
  secrets: InstanceSecrets,
  workspaceId: string,
  ids: ReadonlySet<string>,
): Promise<void> {
  const cipher = new TextCipher(secrets, ANSWERS_KEY_PURPOSE);
  for await (const answers of pagesOfAnswers(pool, cipher, workspaceId, ids)) {
    const erased = answers.filter(
      ({ isAbout, knowsRequest, body }) => isAbout || !knowsRequest || body === undefined,
    );
    await pool.query(
      `DELETE FROM idempotency.answers WHERE workspace_id = $1
         AND (scope, key) IN (SELECT * FROM unnest($2::text[], $3::text[]))`,
      [workspaceId, erased.map(({ scope }) => scope), erased.map(({ key }) => key)],
    );
  }
}
