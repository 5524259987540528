import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds when a user proved to read mail at the address. Users who accepted an invitation from a mail, or who signed in by single sign-on, have
 * proved it. It is not known of users who registered.
 */
export class ProvedAddresses1700000006950 implements MigrationInterface {
  name = 'ProvedAddresses1700000006950';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.users ADD COLUMN address_proved_at timestamptz;
      UPDATE identity.users SET address_proved_at = created_at
      WHERE id IN (SELECT user_id FROM identity.invitations WHERE user_id IS NOT NULL
                   UNION SELECT user_id FROM identity.sso_users);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.users DROP COLUMN address_proved_at');
  }
}
