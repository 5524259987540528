import type { OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Conflict } from '#libs/core';
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
const LOCK_TIMEOUT_MILLIS = 30_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Answers of requests that carry an idempotency key. Requests with one key run one after the other, across
 * processes, under an advisory lock; the lock goes with its connection, so a crash leaves nothing locked and
 * the next attempt runs the command again, under the same command id, which appends nothing twice.
 */
export class IdempotentRequests implements OnApplicationShutdown {
  /** Connections of their own: a request that holds its lock needs others from the common pool to get on. */
  private readonly locks: pg.Pool;
  private readonly seal: AnswerSeal;

  /** `secret` is what the answers are encrypted with. */
  constructor(databaseUrl: string, secret: string) {
    this.seal = new AnswerSeal(secret);
    this.locks = new pg.Pool({
      connectionString: databaseUrl,
      max: LOCK_CONNECTIONS,
      application_name: 'countinghouse idempotency',
      options: `-c lock_timeout=${LOCK_TIMEOUT_MILLIS}`,
    });
    this.locks.on('error', () => undefined);
    // Heard also while a request holds the connection: its next query fails with the error.
    this.locks.on('connect', (client) => client.on('error', () => undefined));
  }

  /**
   * The first answer to (account, scope, key), or that of `run`. An error is not kept: a request that was refused
   * may be mended and sent again with its key. Conflict (`idempotency_key_in_use`) after half a minute of waiting.
   */
  async once(
    accountId: string,
    scope: string,
    key: string,
    run: () => Promise<StoredAnswer>,
  ): Promise<Answered> {
    const connection = await this.locks.connect();
    let broken = true;
    try {
      const name = [accountId, scope, key].map((part) => `${part.length}:${part}`).join('');
      await this.lock(connection, name);
      const { rows } = await connection.query<StoredAnswer>(
        'SELECT status, body FROM idempotency.answers WHERE account_id = $1 AND scope = $2 AND key = $3',
        [accountId, scope, key],
      );
      const answer: Answered = rows[0]
        ? { ...this.opened(rows[0]), replayed: true }
        : { ...(await run()), replayed: false };
      if (!answer.replayed)
        await connection.query(
          'INSERT INTO idempotency.answers (account_id, scope, key, status, body) VALUES ($1, $2, $3, $4, $5)',
          [accountId, scope, key, answer.status, this.seal.seal(answer.body)],
        );
      await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]);
      broken = false;
      return answer;
    } finally {
      // A connection that still holds its lock is closed, which frees it.
      connection.release(broken);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.locks.end();
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

  private async lock(connection: pg.PoolClient, name: string): Promise<void> {
    try {
      await connection.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name]);
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      throw new Conflict(
        'idempotency_key_in_use',
        'A request with this idempotency key is still being worked on',
      );
    }
  }
}
