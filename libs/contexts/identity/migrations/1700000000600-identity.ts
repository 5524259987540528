import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables for users, sessions, API keys, and commands whose events are not written yet. */
export class Identity1700000000600 implements MigrationInterface {
  name = 'Identity1700000000600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA identity;
      CREATE TABLE identity.users (
        id            text PRIMARY KEY,
        workspace_id    text NOT NULL,
        email         text NOT NULL CONSTRAINT users_email_key UNIQUE,
        name          text NOT NULL,
        password_hash text NOT NULL,
        role          text NOT NULL,
        status        text NOT NULL CHECK (status IN ('active', 'disabled')),
        created_at    timestamptz NOT NULL
      );
      CREATE INDEX users_of_workspace ON identity.users (workspace_id);
      CREATE TABLE identity.sessions (
        id         text PRIMARY KEY,
        user_id    text NOT NULL REFERENCES identity.users ON DELETE CASCADE,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        ended_at   timestamptz,
        end_reason text CHECK ((end_reason IS NULL) = (ended_at IS NULL))
      );
      CREATE INDEX sessions_of_user ON identity.sessions (user_id);
      CREATE TABLE identity.refresh_tokens (
        hash       bytea PRIMARY KEY,
        session_id text NOT NULL REFERENCES identity.sessions ON DELETE CASCADE,
        expires_at timestamptz NOT NULL,
        spent_at   timestamptz
      );
      CREATE INDEX refresh_tokens_of_session ON identity.refresh_tokens (session_id);
      CREATE TABLE identity.api_keys (
        id           text PRIMARY KEY,
        workspace_id   text NOT NULL,
        name         text NOT NULL,
        role         text NOT NULL,
        hash         bytea NOT NULL UNIQUE,
        last4        text NOT NULL,
        created_at   timestamptz NOT NULL,
        last_used_at timestamptz,
        revoked_at   timestamptz
      );
      CREATE INDEX api_keys_of_workspace ON identity.api_keys (workspace_id, created_at, id) WHERE revoked_at IS NULL;
      CREATE TABLE identity.outbox (
        seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        category     text NOT NULL,
        aggregate_id text NOT NULL,
        context      jsonb NOT NULL,
        command      jsonb NOT NULL
      );
      CREATE INDEX outbox_of_aggregate ON identity.outbox (category, aggregate_id, seq);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA identity CASCADE');
  }
}
