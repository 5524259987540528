import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds roles to meters, so that a meter can be rebuilt next to the one in use. `live` meters are kept current and used for measurements. A
 * `next` meter will replace a live one. An `old` meter was replaced. A `check` meter is compared with a live one.
 */
export class MeterRoles1700000003500 implements MigrationInterface {
  name = 'MeterRoles1700000003500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE usage.meters
        ADD COLUMN role text NOT NULL DEFAULT 'live' CHECK (role IN ('live', 'next', 'old', 'check')),
        DROP CONSTRAINT meters_key_key,
        ADD UNIQUE (key, role)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM usage.rollups WHERE meter_id IN (SELECT id FROM usage.meters WHERE role <> 'live');
      DELETE FROM usage.distinct_values WHERE meter_id IN (SELECT id FROM usage.meters WHERE role <> 'live');
      DELETE FROM usage.recurrences WHERE meter_id IN (SELECT id FROM usage.meters WHERE role <> 'live');
      DELETE FROM usage.meters WHERE role <> 'live';
      ALTER TABLE usage.meters DROP CONSTRAINT meters_key_role_key, DROP COLUMN role, ADD UNIQUE (key)
    `);
  }
}
