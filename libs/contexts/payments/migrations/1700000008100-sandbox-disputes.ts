import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table for the disputes of the sandbox's simulated payment gateway. */
export class SandboxDisputes1700000008100 implements MigrationInterface {
  name = 'SandboxDisputes1700000008100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE payments.sandbox_disputes (
        key        text PRIMARY KEY,
        charge_key text NOT NULL REFERENCES payments.sandbox_charges,
        amount     numeric NOT NULL CHECK (amount > 0),
        reason     text NOT NULL,
        status     text NOT NULL CHECK (status IN ('needs_response', 'won', 'lost')),
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX sandbox_disputes_of_charge ON payments.sandbox_disputes (charge_key);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE payments.sandbox_disputes');
  }
}
