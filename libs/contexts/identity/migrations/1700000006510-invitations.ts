import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the tables for invitations and for the tokens of links in mail. Renames the status of users who cannot sign in to `deactivated`. */
export class Invitations1700000006510 implements MigrationInterface {
  name = 'Invitations1700000006510';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.users DROP CONSTRAINT users_status_check;
      UPDATE identity.users SET status = 'deactivated' WHERE status = 'disabled';
      ALTER TABLE identity.users ADD CONSTRAINT users_status_check CHECK (status IN ('active', 'deactivated'));

      CREATE TABLE identity.invitations (
        id           text PRIMARY KEY,
        workspace_id text NOT NULL,
        email        text NOT NULL,
        role         text NOT NULL,
        status       text NOT NULL CHECK (status IN ('pending', 'accepted', 'revoked')),
        invited_by   text NOT NULL,
        created_at   timestamptz NOT NULL,
        sent_at      timestamptz NOT NULL,
        expires_at   timestamptz NOT NULL,
        user_id      text CHECK ((user_id IS NOT NULL) = (status = 'accepted'))
      );
      CREATE INDEX invitations_of_workspace ON identity.invitations (workspace_id, created_at, id);
      CREATE UNIQUE INDEX pending_invitations ON identity.invitations (workspace_id, email) WHERE status = 'pending';

      CREATE TABLE identity.link_tokens (
        hash       bytea PRIMARY KEY,
        purpose    text NOT NULL,
        subject    text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at    timestamptz
      );
      CREATE INDEX link_tokens_of_subject ON identity.link_tokens (subject, purpose, created_at);
      CREATE INDEX link_tokens_by_expiry ON identity.link_tokens (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE identity.link_tokens, identity.invitations;
      ALTER TABLE identity.users DROP CONSTRAINT users_status_check;
      UPDATE identity.users SET status = 'disabled' WHERE status = 'deactivated';
      ALTER TABLE identity.users ADD CONSTRAINT users_status_check CHECK (status IN ('active', 'disabled'));
    `);
  }
}
