import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether a workspace has a task that is due and not finished is asked over and over while its clock is moved. The answer is one
 * look at an index, which leaves out the tasks that nobody waits for: a workspace can have very many of these, such as
 * deliveries of webhooks. The settings keep to that plan, whatever Postgres guesses: that many of the stored tasks are like
 * that, and one soon found by reading the table, or that the table is as small as it was when the plan was made.
 */
export class UnfinishedTasks1700000004080 implements MigrationInterface {
  name = 'UnfinishedTasks1700000004080';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX tasks_of_clock ON saga.tasks (workspace_id, due_at)
        WHERE clock = 'workspace' AND awaited AND status IN ('pending', 'running');
      DROP INDEX saga.tasks_of_workspace;

      CREATE FUNCTION saga.has_unfinished(workspace text) RETURNS boolean LANGUAGE plpgsql STABLE
      SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
      DECLARE
        moment timestamptz;
      BEGIN
        SELECT coalesce(c.frozen_at, now()) INTO moment FROM workspaces.clocks c WHERE c.workspace_id = workspace;
        RETURN EXISTS (
          SELECT FROM saga.tasks t
          WHERE t.workspace_id = workspace AND t.clock = 'workspace' AND t.awaited AND t.status IN ('pending', 'running')
            AND t.due_at <= moment
        );
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION saga.has_unfinished;
      CREATE INDEX tasks_of_workspace ON saga.tasks (workspace_id, due_at) WHERE status IN ('pending', 'running');
      DROP INDEX saga.tasks_of_clock;
    `);
  }
}
