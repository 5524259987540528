import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tells whether a workspace has an unfinished due task. This is asked repeatedly while the workspace's clock is moved. The answer is one
 * read of an index. The index omits the tasks for which nobody waits, such as deliveries of webhooks, because a workspace can have very
 * many of them. The settings force this plan. Otherwise Postgres could expect many such tasks and read the table, or use a plan from a time
 * when the table was small.
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
