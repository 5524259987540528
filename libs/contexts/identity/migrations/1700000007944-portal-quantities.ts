import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the limits of the units that a customer can choose in the portal. The customers of older sessions cannot choose units. */
export class PortalQuantities1700000007944 implements MigrationInterface {
  name = 'PortalQuantities1700000007944';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.portal_sessions ADD COLUMN quantity_limits jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.portal_sessions DROP COLUMN quantity_limits');
  }
}
