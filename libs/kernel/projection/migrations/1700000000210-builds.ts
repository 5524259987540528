import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Read models that are made anew beside the live ones.
 *
 * checkpoints: `generation` counts the swaps of a read model, so that a projector that has not heard of one writes
 * nothing to tables that it does not know; `next_version` is set while the rows are those of an older version, which
 * nothing is added to; `tables` are those of the version that is live.
 * builds: what is being made, for what, and how far it has come; its rows and its position commit together.
 * read_next, read_verify: the tables of builds. read_old: those that a swap has replaced.
 */
export class Builds1700000000210 implements MigrationInterface {
  name = 'Builds1700000000210';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projection.checkpoints
        ADD COLUMN generation integer NOT NULL DEFAULT 1,
        ADD COLUMN next_version integer,
        ADD COLUMN tables text[];
      CREATE TABLE projection.builds (
        name       text NOT NULL,
        purpose    text NOT NULL CHECK (purpose IN ('rebuild', 'verify')),
        version    integer NOT NULL,
        definition text NOT NULL,
        tables     text[] NOT NULL,
        position   bigint,
        state      text NOT NULL CHECK (state IN ('filling', 'filled')),
        error      text,
        started_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (name, purpose)
      );
      CREATE SCHEMA read_next;
      CREATE SCHEMA read_verify;
      CREATE SCHEMA read_old;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP SCHEMA read_next, read_verify, read_old CASCADE;
      DROP TABLE projection.builds;
      ALTER TABLE projection.checkpoints DROP COLUMN generation, DROP COLUMN next_version, DROP COLUMN tables;
    `);
  }
}
