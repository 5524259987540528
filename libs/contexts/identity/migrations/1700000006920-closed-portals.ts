import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the table of the customers whose portal is closed for good, since their personal data is being erased. */
export class ClosedPortals1700000006920 implements MigrationInterface {
  name = 'ClosedPortals1700000006920';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.closed_portals (
        workspace_id text NOT NULL,
        customer_id  text NOT NULL,
        PRIMARY KEY (workspace_id, customer_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.closed_portals');
  }
}
