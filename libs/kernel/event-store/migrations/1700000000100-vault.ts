import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys of personal data in events. A row with a null key is a subject that was erased. */
export class Vault1700000000100 implements MigrationInterface {
  name = 'Vault1700000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA vault;
      CREATE TABLE vault.keys (
        subject    text PRIMARY KEY,
        key        bytea,
        created_at timestamptz NOT NULL DEFAULT now(),
        erased_at  timestamptz
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA vault CASCADE');
  }
}
