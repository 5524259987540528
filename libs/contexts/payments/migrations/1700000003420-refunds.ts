import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table for the refunds of the sandbox's simulated payment gateway. */
export class Refunds1700000003420 implements MigrationInterface {
  name = 'Refunds1700000003420';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE payments.sandbox_refunds (
        key        text PRIMARY KEY,
        charge_key text NOT NULL REFERENCES payments.sandbox_charges,
        amount     numeric NOT NULL CHECK (amount > 0),
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX sandbox_refunds_of_charge ON payments.sandbox_refunds (charge_key);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE payments.sandbox_refunds');
  }
}
