import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables for exports of the books: the transactions, which the database sorts, and the parts of the file. Rows of an interrupted run
 * are told apart by the number of the run.
 */
export class Books1700000008150 implements MigrationInterface {
  name = 'Books1700000008150';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA books;
      CREATE TABLE books.exports (
        id            text PRIMARY KEY,
        workspace_id  text NOT NULL,
        format        text NOT NULL,
        since_moment  text,
        until_moment  text,
        last_instant  text NOT NULL,
        status        text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'done', 'failed')),
        run           integer NOT NULL DEFAULT 0,
        head          bigint,
        position      bigint,
        transactions  integer,
        bytes         bigint,
        error         text,
        created_at    timestamptz NOT NULL DEFAULT now(),
        ended_at      timestamptz,
        CHECK ((status IN ('done', 'failed')) = (ended_at IS NOT NULL))
      );
      CREATE UNIQUE INDEX exports_one_at_a_time ON books.exports (workspace_id) WHERE status IN ('pending', 'running');
      CREATE INDEX exports_of_workspace ON books.exports (workspace_id, created_at, id);
      CREATE INDEX exports_by_end ON books.exports (ended_at) WHERE ended_at IS NOT NULL;

      CREATE TABLE books.transactions (
        export_id    text NOT NULL REFERENCES books.exports ON DELETE CASCADE,
        run          integer NOT NULL,
        date         text COLLATE "C" NOT NULL,
        at           text COLLATE "C" NOT NULL,
        position     bigint NOT NULL,
        number       integer NOT NULL,
        content      text NOT NULL,
        PRIMARY KEY (export_id, run, date, at, position, number)
      );
      CREATE TABLE books.parts (
        export_id    text NOT NULL REFERENCES books.exports ON DELETE CASCADE,
        run          integer NOT NULL,
        number       integer NOT NULL,
        content      bytea NOT NULL,
        PRIMARY KEY (export_id, run, number)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA books CASCADE');
  }
}
