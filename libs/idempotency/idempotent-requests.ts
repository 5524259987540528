import type { OnApplicationShutdown } from '@nestjs/common';
import { Conflict } from '#libs/core';
import { AdvisoryLocks, LockBusy } from '#libs/postgres';
import { AnswerSeal } from './answer-seal.js';

/** What a request was answered with. */
export interface StoredAnswer {
  status: number;
  /** The body as JSON text; empty if there was none. */
  body: string;
}

/** An answer, and whether it was given before. */
export interface Answered extends StoredAnswer {
  replayed: boolean;
}

const LOCK_CONNECTIONS = 16;
/** The rest is for other workspaces while the requests of one take long. */
const LOCK_CONNECTIONS_PER_WORKSPACE = 12;
const LOCK_TIMEOUT_MILLIS = 30_000;

/**
 * Answers of requests that carry an idempotency key. Requests with one key run one after the other, across
 * processes, under an advisory lock; the lock goes with its connection, so a crash leaves nothing locked and
 * the next attempt runs the command again, under the same command id, which appends nothing twice.
 */
export class IdempotentRequests implements OnApplicationShutdown {
  private readonly locks: AdvisoryLocks;
  private readonly seal: AnswerSeal;

  /** `secret` is what the answers are encrypted with. */
  constructor(databaseUrl: string, secret: string) {
    this.seal = new AnswerSeal(secret);
    this.locks = new AdvisoryLocks(databaseUrl, {
      connections: LOCK_CONNECTIONS,
      connectionsPerParty: LOCK_CONNECTIONS_PER_WORKSPACE,
      waitMillis: LOCK_TIMEOUT_MILLIS,
      applicationName: 'countinghouse idempotency',
    });
  }

  /**
   * The first answer to (account, scope, key), or that of `run`. An error is not kept: a request that was refused
   * may be mended and sent again with its key. Conflict (`idempotency_key_in_use`) after half a minute of waiting for
   * another with the key; Unavailable (`too_many_at_work`) if too many others are worked on.
   */
  async once(
    accountId: string,
    scope: string,
    key: string,
    run: () => Promise<StoredAnswer>,
  ): Promise<Answered> {
    const name = [accountId, scope, key].map((part) => `${part.length}:${part}`).join('');
    try {
      return await this.locks.hold(
        name,
        async (connection) => {
          const { rows } = await connection.query<StoredAnswer>(
            'SELECT status, body FROM idempotency.answers WHERE account_id = $1 AND scope = $2 AND key = $3',
            [accountId, scope, key],
          );
          if (rows[0]) return { ...this.opened(rows[0]), replayed: true };
          const answer = await run();
          await connection.query(
            'INSERT INTO idempotency.answers (account_id, scope, key, status, body) VALUES ($1, $2, $3, $4, $5)',
            [accountId, scope, key, answer.status, this.seal.seal(answer.body)],
          );
          return { ...answer, replayed: false };
        },
        accountId,
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

  private opened({ status, body }: StoredAnswer): StoredAnswer {
    const text = this.seal.open(body);
    if (text === undefined)
      throw new Conflict(
        'idempotent_answer_unreadable',
        'The request with this idempotency key was done, but its answer cannot be read any more: JWT_SECRET has changed',
      );
    return { status, body: text };
  }
}
