import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table for the charges of the sandbox's simulated payment gateway. */
export class Payments1700000001000 implements MigrationInterface {
  name = 'Payments1700000001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA payments;
      CREATE TABLE payments.sandbox_charges (
        key        text PRIMARY KEY,
        workspace_id text NOT NULL,
        invoice_id text NOT NULL,
        amount     numeric NOT NULL CHECK (amount > 0),
        currency   text NOT NULL,
        test       text NOT NULL,
        status     text NOT NULL CHECK (status IN ('succeeded', 'failed', 'requires_action')),
        code       text,
        message    text,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX sandbox_charges_of_invoice ON payments.sandbox_charges (workspace_id, invoice_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA payments CASCADE');
  }
}
