import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time since which Stripe refuses the secret key of a workspace. */
export class RefusedKeys1700000007900 implements MigrationInterface {
  name = 'RefusedKeys1700000007900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments.gateway_connections ADD COLUMN key_refused_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments.gateway_connections DROP COLUMN key_refused_at');
  }
}
