import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the hosts to which customers may return from the page for a card. A connection of an earlier version has none. */
export class ReturnHosts1700000008110 implements MigrationInterface {
  name = 'ReturnHosts1700000008110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE payments.gateway_connections ADD COLUMN return_hosts text[] NOT NULL DEFAULT '{}'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments.gateway_connections DROP COLUMN return_hosts');
  }
}
