import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the restrictions of API keys (permissions and expiry), and the id of the key that replaced a key. */
export class ApiKeyLimits1700000006300 implements MigrationInterface {
  name = 'ApiKeyLimits1700000006300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.api_keys
        ADD COLUMN permissions text[],
        ADD COLUMN expires_at  timestamptz,
        ADD COLUMN replaced_by text;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE identity.api_keys DROP COLUMN permissions, DROP COLUMN expires_at, DROP COLUMN replaced_by',
    );
  }
}
