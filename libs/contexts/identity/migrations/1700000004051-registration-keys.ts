import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table for the idempotency keys of registrations. */
export class RegistrationKeys1700000004051 implements MigrationInterface {
  name = 'RegistrationKeys1700000004051';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.registration_keys (
        user_id text PRIMARY KEY REFERENCES identity.users ON DELETE CASCADE,
        key     bytea NOT NULL,
        body    bytea NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.registration_keys');
  }
}
