import type { Pool } from 'pg';
import { mentionsAnyId, parseJson, type Instant } from '#libs/kernel/core';
import type { TextCipher } from '#libs/kernel/system';
import { idDigest } from './request-digests.js';

const BATCH = 500;

/** A stored answer, as `idempotency.answers` has it, with its decrypted body. */
export interface StoredAnswer {
  /** The method and the path of the request, and possibly its customer or its caller. */
  readonly scope: string;
  /** The form in which the idempotency key is stored. */
  readonly key: string;
  readonly status: number;
  /** The body as JSON text; empty if there was none. Undefined if it was encrypted with another secret. */
  readonly body: string | undefined;
  readonly createdAt: Instant;
  /** False for rows of earlier versions, which do not know whom their request named. */
  readonly knowsRequest: boolean;
  /** True if the path, the customer, the request or the answer names one of the ids. */
  readonly isAbout: boolean;
}

interface Row {
  scope: string;
  key: string;
  status: number;
  body: string;
  created_at: Instant;
  request_ids: Buffer[] | null;
}

/**
 * Yields all stored answers of a workspace in pages, with whether each is about one of `ids`. A page is read when the caller asks for it.
 */
export async function* pagesOfAnswers(
  pool: Pool,
  cipher: TextCipher,
  workspaceId: string,
  ids: ReadonlySet<string>,
): AsyncGenerator<StoredAnswer[]> {
  const digests = new Set([...ids].map((id) => idDigest(workspaceId, id).toString('hex')));
  let after = ['', ''];
  for (;;) {
    const { rows } = await pool.query<Row>(
      `SELECT scope, key, status, body, created_at, request_ids FROM idempotency.answers
       WHERE workspace_id = $1 AND (scope, key) > ($2, $3) ORDER BY scope, key LIMIT ${BATCH}`,
      [workspaceId, ...after],
    );
    if (rows.length === 0) return;
    yield rows.map((row) => {
      const { scope, key, status, created_at: createdAt, request_ids: named } = row;
      const body = cipher.decrypt(row.body);
      const isAbout =
        isNamedInScope(scope, ids) ||
        (named ?? []).some((digest) => digests.has(digest.toString('hex'))) ||
        (body !== undefined && body !== '' && mentionsAnyId(parseJson(body), ids));
      return { scope, key, status, body, createdAt, knowsRequest: named !== null, isAbout };
    });
    const { scope, key } = rows.at(-1)!;
    after = [scope, key];
  }
}

/** A space separates the path from the method, and from the customer of a portal token. */
function isNamedInScope(scope: string, ids: ReadonlySet<string>): boolean {
  return scope.split(/[/ ]/).some((part) => ids.has(decodeURIComponent(part)));
}
