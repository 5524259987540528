import type { OnApplicationShutdown } from '@nestjs/common';
import { canonicalJson, Conflict } from '#libs/kernel/core';
import { KeyedDigest, TextCipher, type InstanceSecrets } from '#libs/kernel/system';
import { AdvisoryLocks, LockBusy } from '#libs/kernel/postgres';
import { idempotencyKeyReused } from './key-reused.js';
import { requestIdDigests, storedKey } from './request-digests.js';

/** The purpose of the key that encrypts stored answers. Keys that derive from the same secret for different purposes differ. */
export const ANSWERS_KEY_PURPOSE = 'countinghouse idempotent answers';

/** A request with an idempotency key. An idempotency key is valid for one workspace and one scope. */
export interface KeyedRequest {
  workspaceId: string;
  /** The method and the path. Also the customer of a portal token, and the caller if the answer contains a new credential. */
  scope: string;
  /** The idempotency key. */
  key: string;
  /** The query and the body of the request as JSON values. */
  content: unknown;
}

/** The stored answer to a request. */
export interface RequestAnswer {
  status: number;
  /** The body as JSON text; empty if there was none. */
  body: string;
}

/** An answer, with a flag that tells whether it was given before. */
export interface IdempotentAnswer extends RequestAnswer {
  /** True if the answer was given before. */
  replayed: boolean;
}

interface AnswerRow extends RequestAnswer {
  /** The digest of the request's content. The digest is null in rows of earlier versions, which did not compare requests. */
  digest: Buffer | null;
}

const LOCK_CONNECTIONS = 16;
/**
 * The largest number of lock connections for one workspace. The limit leaves connections for other workspaces when the requests of one
 * workspace take long.
 */
const LOCK_CONNECTIONS_PER_WORKSPACE = 12;
/**
 * The maximum wait for another request with the same key. The wait is shorter than the time limit of a request. Otherwise the client would
 * be answered before the wait ends, and the request would still run afterwards.
 */
const LOCK_TIMEOUT_MILLIS = 6_000;

/**
 * Stores the answers of requests with an idempotency key. Requests with the same key run one after another, across processes, under an
 * advisory lock. The lock ends with its connection, so a crash leaves nothing locked. If the client repeats a request after a crash, the
 * command runs again with the same command id, so nothing is appended twice.
 */
export class IdempotentRequests implements OnApplicationShutdown {
  private readonly locks: AdvisoryLocks;
  private readonly seal: TextCipher;
  /** By the present secret, and by the former one while it is replaced. */
  private readonly digests: readonly KeyedDigest[];

  /** @param secrets the keys for encrypting answers and for comparing requests derive from them */
  constructor(databaseUrl: string, secrets: InstanceSecrets) {
    this.seal = new TextCipher(secrets, ANSWERS_KEY_PURPOSE);
    this.digests = secrets.flatMap((secret) =>
      secret === undefined ? [] : [new KeyedDigest(secret, 'countinghouse idempotent requests')],
    );
    this.locks = new AdvisoryLocks(databaseUrl, {
      maxConnections: LOCK_CONNECTIONS,
      connectionsPerParty: LOCK_CONNECTIONS_PER_WORKSPACE,
      lockWaitMillis: LOCK_TIMEOUT_MILLIS,
      applicationName: 'countinghouse idempotency',
    });
  }

  /**
   * Returns the stored answer to an earlier request with this key. If there is none, calls `run` and stores its answer. Errors are not
   * stored, so a refused request can be corrected and sent again with its key. The method throws:
   *
   * - Conflict (`idempotency_key_reused`) if the stored answer belongs to a request with other content
   * - Conflict (`idempotency_key_in_use`) after six seconds of waiting for another request with the key
   * - Conflict (`idempotent_answer_unreadable`) if the stored answer was encrypted with another secret
   * - Unavailable (`too_many_at_work`) if too many other requests are running
   */
  async runOnce(request: KeyedRequest, run: () => Promise<RequestAnswer>): Promise<IdempotentAnswer> {
    const { workspaceId, scope, key } = request;
    const stored = storedKey(workspaceId, scope, key);
    const name = [workspaceId, scope, key].map((part) => `${part.length}:${part}`).join('');
    try {
      return await this.locks.runLocked(
        name,
        async (connection) => {
          const { rows } = await connection.query<AnswerRow>(
            // Earlier versions stored the text of the key.
            'SELECT status, body, digest FROM idempotency.answers WHERE workspace_id = $1 AND scope = $2 AND key IN ($3, $4)',
            [workspaceId, scope, stored, key],
          );
          const content = canonicalJson(request.content);
          const digests = this.digests.map((one) => one.digestOf(scope, content));
          if (rows[0]) return { ...this.opened(rows[0], digests), replayed: true };
          const named = requestIdDigests(workspaceId, request.content);
          const answer = await run();
          await connection.query(
            `INSERT INTO idempotency.answers (workspace_id, scope, key, status, body, digest, request_ids)
             VALUES ($1, $2, $3, $4, $5, $6, $7)`,
            [workspaceId, scope, stored, answer.status, this.seal.encrypt(answer.body), digests[0], named],
          );
          return { ...answer, replayed: false };
        },
        workspaceId,
      );
    } catch (error) {
      if (!(error instanceof LockBusy)) throw error;
      throw new Conflict(
        'idempotency_key_in_use',
        'A request with this idempotency key is still being worked on',
      );
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.locks.onApplicationShutdown();
  }

  /**
   * Decrypts a stored answer, and only then compares the digests of the requests. If the secret has changed, every digest differs, and the
   * error must name the secret and not the request.
   */
  private opened({ status, body, digest }: AnswerRow, asked: readonly Buffer[]): RequestAnswer {
    const text = this.seal.decrypt(body);
    if (text === undefined)
      throw new Conflict(
        'idempotent_answer_unreadable',
        'The request with this idempotency key was done, but its answer cannot be read any more: JWT_SECRET has changed',
      );
    if (digest !== null && !asked.some((one) => digest.equals(one))) throw idempotencyKeyReused();
    return { status, body: text };
  }
}
