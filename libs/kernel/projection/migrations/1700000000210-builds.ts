import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Read models that are rebuilt next to the live ones.
 *
 * checkpoints: `generation` counts the swaps of a read model. A projector that has not noticed a swap therefore writes nothing to tables
 * that it does not know. `next_version` is set while the rows are those of an older version, to which no events are added. `tables` are the
 * tables of the live version.
 *
 * builds: the builds in progress, with their purpose and position. The rows of a build and its position are committed together.
 *
 * read_next, read_verify: the schemas for tables of builds. read_old: the schema for tables that a swap has replaced.
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
