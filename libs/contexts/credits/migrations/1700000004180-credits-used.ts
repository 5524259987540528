import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds to the state of each wallet the credits that its blocks covered and that no invoice shows yet. Earlier draws are left out. */
export class CreditsUsed1700000004180 implements MigrationInterface {
  name = 'CreditsUsed1700000004180';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE credits.wallets SET state = '{"used": []}'::jsonb || state WHERE NOT state ? 'used'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE credits.wallets SET state = state - 'used'`);
  }
}
