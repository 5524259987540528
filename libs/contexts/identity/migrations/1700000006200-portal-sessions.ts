import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table for the portal sessions of customers. A session lasts a day at most, so lists need only the rows of the last day. */
export class PortalSessions1700000006200 implements MigrationInterface {
  name = 'PortalSessions1700000006200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.portal_sessions (
        id                     text PRIMARY KEY,
        workspace_id           text NOT NULL,
        customer_id            text NOT NULL,
        hash                   bytea NOT NULL UNIQUE,
        allow_plan_changes     boolean NOT NULL,
        allow_credit_purchases boolean NOT NULL,
        created_at             timestamptz NOT NULL,
        expires_at             timestamptz NOT NULL,
        revoked_at             timestamptz
      );
      CREATE INDEX portal_sessions_of_workspace ON identity.portal_sessions (workspace_id, created_at, id);
      CREATE INDEX portal_sessions_of_customer ON identity.portal_sessions (workspace_id, customer_id, created_at, id);
      CREATE INDEX portal_sessions_by_expiry ON identity.portal_sessions (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.portal_sessions');
  }
}
