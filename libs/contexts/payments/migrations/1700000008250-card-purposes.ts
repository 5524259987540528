import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds what a card is entered for: the invoices that it pays, and whether it becomes the default. */
export class CardPurposes1700000008250 implements MigrationInterface {
  name = 'CardPurposes1700000008250';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE payments.card_setups ADD COLUMN purpose jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments.card_setups DROP COLUMN purpose');
  }
}
