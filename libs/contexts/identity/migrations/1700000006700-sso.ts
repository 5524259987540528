import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the tables for single sign-on: connections to identity providers, their domains, sign-ins that are not completed, and the provider's
 * ids of users.
 */
export class Sso1700000006700 implements MigrationInterface {
  name = 'Sso1700000006700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.sso_connections (
        id            text PRIMARY KEY,
        workspace_id  text NOT NULL,
        name          text NOT NULL,
        issuer        text NOT NULL,
        client_id     text NOT NULL,
        client_secret text NOT NULL,
        redirect_uris text[] NOT NULL,
        default_role  text NOT NULL,
        create_users  boolean NOT NULL,
        required      boolean NOT NULL,
        created_at    timestamptz NOT NULL,
        updated_at    timestamptz NOT NULL
      );
      CREATE INDEX sso_connections_of_workspace ON identity.sso_connections (workspace_id, created_at, id);

      CREATE TABLE identity.sso_domains (
        connection_id text NOT NULL REFERENCES identity.sso_connections (id) ON DELETE CASCADE,
        domain        text NOT NULL,
        token         text NOT NULL,
        verified_at   timestamptz,
        PRIMARY KEY (connection_id, domain)
      );
      -- A domain is proved for one connection at most.
      CREATE UNIQUE INDEX sso_domains_verified ON identity.sso_domains (domain) WHERE verified_at IS NOT NULL;

      CREATE TABLE identity.sso_sign_ins (
        state_hash    bytea PRIMARY KEY,
        connection_id text NOT NULL REFERENCES identity.sso_connections (id) ON DELETE CASCADE,
        redirect_uri  text NOT NULL,
        nonce         text NOT NULL,
        code_verifier text NOT NULL,
        expires_at    timestamptz NOT NULL
      );
      CREATE INDEX sso_sign_ins_by_expiry ON identity.sso_sign_ins (expires_at);

      CREATE TABLE identity.sso_users (
        connection_id text NOT NULL REFERENCES identity.sso_connections (id) ON DELETE CASCADE,
        subject       text NOT NULL,
        user_id       text NOT NULL REFERENCES identity.users (id) ON DELETE CASCADE,
        PRIMARY KEY (connection_id, subject)
      );

      -- A user who was created by single sign-on has no password.
      ALTER TABLE identity.users ALTER COLUMN password_hash DROP NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE identity.sso_users, identity.sso_sign_ins, identity.sso_domains, identity.sso_connections;
      UPDATE identity.users SET password_hash = '' WHERE password_hash IS NULL;
      ALTER TABLE identity.users ALTER COLUMN password_hash SET NOT NULL;
    `);
  }
}
