import type { Pool } from 'pg';
import { mentionsAnyId, parseJson } from '#libs/kernel/core';
import { TextCipher } from '#libs/kernel/system';
import { ANSWERS_KEY_PURPOSE } from './idempotent-requests.js';

const BATCH = 500;

interface Row {
  scope: string;
  key: string;
  body: string;
}

/**
 * Removes the stored answers to a workspace's requests if the scope of the request or the body of the answer names one of `ids`. If the
 * request is sent again with its idempotency key, it has the same command id as the first time, so it appends no further events. If it
 * created a credential, that credential gets a new secret. Answers that were encrypted with another secret are removed too, since nobody
 * can read them.
 */
export async function eraseAnswers(
  pool: Pool,
  secret: string,
  workspaceId: string,
  ids: ReadonlySet<string>,
): Promise<void> {
  const seal = new TextCipher(secret, ANSWERS_KEY_PURPOSE);
  let after = ['', ''];
  for (;;) {
    const { rows } = await pool.query<Row>(
      `SELECT scope, key, body FROM idempotency.answers
       WHERE workspace_id = $1 AND (scope, key) > ($2, $3) ORDER BY scope, key LIMIT ${BATCH}`,
      [workspaceId, ...after],
    );
    if (rows.length === 0) return;
    const found = rows.filter((row) => namesOneOf(ids, row, seal.decrypt(row.body)));
    await pool.query(
      `DELETE FROM idempotency.answers WHERE workspace_id = $1
         AND (scope, key) IN (SELECT * FROM unnest($2::text[], $3::text[]))`,
      [workspaceId, found.map(({ scope }) => scope), found.map(({ key }) => key)],
    );
    const { scope, key } = rows.at(-1)!;
    after = [scope, key];
  }
}

function namesOneOf(ids: ReadonlySet<string>, { scope }: Row, body: string | undefined): boolean {
  if (body === undefined) return true;
  // A space separates the path from the method, and from the customer of a portal token.
  if (scope.split(/[/ ]/).some((part) => ids.has(decodeURIComponent(part)))) return true;
  return body !== '' && mentionsAnyId(parseJson(body), ids);
}
