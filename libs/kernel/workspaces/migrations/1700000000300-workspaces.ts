import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The clock of each workspace. */
export class Workspaces1700000000300 implements MigrationInterface {
  name = 'Workspaces1700000000300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA workspaces;
      CREATE TABLE workspaces.clocks (
        workspace_id text PRIMARY KEY,
        mode       text NOT NULL CHECK (mode IN ('sandbox', 'live')),
        frozen_at  timestamptz CHECK (mode = 'sandbox' OR frozen_at IS NULL),
        in_use     boolean NOT NULL DEFAULT false
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA workspaces CASCADE');
  }
}
