import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Durable tasks and timers of the process managers, and the position of each process manager in the log. */
export class Saga1700000000400 implements MigrationInterface {
  name = 'Saga1700000000400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA saga;
      CREATE TABLE saga.checkpoints (
        process  text PRIMARY KEY,
        position bigint
      );
      CREATE SEQUENCE saga.worker_numbers AS integer CYCLE;
      CREATE TABLE saga.tasks (
        id             text PRIMARY KEY,
        process        text NOT NULL,
        name           text NOT NULL,
        workspace_id     text NOT NULL,
        payload        jsonb NOT NULL,
        due_at         timestamptz NOT NULL,
        clock          text NOT NULL CHECK (clock IN ('workspace', 'system')),
        queue          text,
        status         text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'done', 'failed')),
        not_before     timestamptz NOT NULL DEFAULT now(),
        attempts       integer NOT NULL DEFAULT 0,
        worker         bigint,
        last_error     text,
        event_id       text NOT NULL,
        correlation_id text NOT NULL,
        created_at     timestamptz NOT NULL DEFAULT now(),
        done_at        timestamptz
      );
      CREATE INDEX tasks_waiting ON saga.tasks (due_at, id) WHERE status = 'pending';
      CREATE INDEX tasks_running ON saga.tasks (worker) WHERE status = 'running';
      CREATE INDEX tasks_of_workspace ON saga.tasks (workspace_id, due_at) WHERE status IN ('pending', 'running');
      CREATE INDEX tasks_last_done ON saga.tasks (workspace_id, done_at) WHERE status = 'done';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA saga CASCADE');
  }
}
