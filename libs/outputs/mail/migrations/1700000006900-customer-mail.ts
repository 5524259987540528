import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Prepares the queue for mail to customers: whom and which invoices it concerns, and when an attempt was handed over to the server. */
export class CustomerMail1700000006900 implements MigrationInterface {
  name = 'CustomerMail1700000006900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE mail.messages
        ADD COLUMN customer_id    text,
        ADD COLUMN invoice_ids    text[] NOT NULL DEFAULT '{}',
        ADD COLUMN handed_over_at timestamptz,
        DROP CONSTRAINT messages_status_check,
        ADD CONSTRAINT messages_status_check
          CHECK (status IN ('pending', 'sent', 'failed', 'withheld', 'unknown'));
      CREATE INDEX messages_of_customer ON mail.messages (workspace_id, customer_id) WHERE customer_id IS NOT NULL;
      CREATE INDEX messages_of_invoices ON mail.messages USING gin (invoice_ids) WHERE invoice_ids <> '{}';
      CREATE INDEX messages_in_workspace ON mail.messages (workspace_id, number);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX mail.messages_of_customer, mail.messages_of_invoices, mail.messages_in_workspace;
      UPDATE mail.messages SET status = 'failed' WHERE status = 'unknown';
      ALTER TABLE mail.messages
        DROP COLUMN customer_id, DROP COLUMN invoice_ids, DROP COLUMN handed_over_at,
        DROP CONSTRAINT messages_status_check,
        ADD CONSTRAINT messages_status_check CHECK (status IN ('pending', 'sent', 'failed', 'withheld'));
    `);
  }
}
