import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables for invoice numbers in a sequence without gaps per workspace, and for the tokens of hosted pages. */
export class Invoicing1700000001010 implements MigrationInterface {
  name = 'Invoicing1700000001010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA invoicing;
      CREATE TABLE invoicing.sequences (
        workspace_id  text PRIMARY KEY,
        last_number bigint NOT NULL
      );
      CREATE TABLE invoicing.numbers (
        workspace_id text NOT NULL,
        number     bigint NOT NULL,
        invoice_id text,
        PRIMARY KEY (workspace_id, number),
        UNIQUE (workspace_id, invoice_id)
      );
      CREATE INDEX numbers_given_back ON invoicing.numbers (workspace_id, number) WHERE invoice_id IS NULL;
      CREATE TABLE invoicing.links (
        token      text PRIMARY KEY,
        workspace_id text NOT NULL,
        invoice_id text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (workspace_id, invoice_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA invoicing CASCADE');
  }
}
