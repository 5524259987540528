import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The verifications of the books, each with its result. */
export class BooksVerifications1700000008160 implements MigrationInterface {
  name = 'BooksVerifications1700000008160';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE books.verifications (
        id            text PRIMARY KEY,
        workspace_id  text NOT NULL,
        status        text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'done', 'failed')),
        run           integer NOT NULL DEFAULT 0,
        head          bigint,
        position      bigint,
        result        json,
        error         text,
        created_at    timestamptz NOT NULL DEFAULT now(),
        ended_at      timestamptz,
        CHECK ((status IN ('done', 'failed')) = (ended_at IS NOT NULL)),
        CHECK ((status = 'done') = (result IS NOT NULL))
      );
      CREATE UNIQUE INDEX verifications_one_at_a_time ON books.verifications (workspace_id)
        WHERE status IN ('pending', 'running');
      CREATE INDEX verifications_of_workspace ON books.verifications (workspace_id, created_at, id);
      CREATE INDEX verifications_by_end ON books.verifications (ended_at) WHERE ended_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE books.verifications');
  }
}
