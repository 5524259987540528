import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The time at which each task can be taken, by the machine's clock. With it, a worker finds due tasks without reading the timers of all
 * subscriptions. The database computes it from the task and the clock of its workspace. If both change at the same time, neither change may
 * be missed. So storing a waiting task locks the clock, and a change of the clock moves the waiting tasks. Running tasks are not moved.
 * They read the clock when they wait again.
 */
export class TaskWakes1700000003600 implements MigrationInterface {
  name = 'TaskWakes1700000003600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE saga.tasks ADD COLUMN wakes_at timestamptz NOT NULL DEFAULT 'infinity';

      CREATE FUNCTION saga.wakes_at(due_at timestamptz, not_before timestamptz, stands_at timestamptz)
      RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT CASE
          WHEN stands_at IS NULL THEN greatest(due_at, not_before)
          WHEN due_at <= stands_at THEN not_before
          ELSE 'infinity'
        END
      $$;

      CREATE FUNCTION saga.set_wakes_at() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        stands_at timestamptz;
      BEGIN
        IF NEW.clock = 'workspace' THEN
          SELECT frozen_at INTO stands_at FROM workspaces.clocks WHERE workspace_id = NEW.workspace_id FOR SHARE;
        END IF;
        NEW.wakes_at := saga.wakes_at(NEW.due_at, NEW.not_before, stands_at);
        RETURN NEW;
      END $$;
      CREATE TRIGGER set_wakes_at BEFORE INSERT OR UPDATE OF status, due_at, clock, not_before ON saga.tasks
        FOR EACH ROW WHEN (NEW.status = 'pending') EXECUTE FUNCTION saga.set_wakes_at();

      CREATE FUNCTION saga.wake_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        after timestamptz := '-infinity';
        until timestamptz := 'infinity';
      BEGIN
        -- What lies on the same side of both times is as it was.
        IF OLD.frozen_at IS NOT NULL THEN
          after := least(OLD.frozen_at, NEW.frozen_at);
          until := greatest(OLD.frozen_at, NEW.frozen_at);
        END IF;
        UPDATE saga.tasks SET wakes_at = saga.wakes_at(due_at, not_before, NEW.frozen_at)
        WHERE workspace_id = NEW.workspace_id AND clock = 'workspace' AND status = 'pending'
          AND due_at > after AND due_at <= until;
        RETURN NULL;
      END $$;
      CREATE TRIGGER wake_tasks AFTER UPDATE OF frozen_at ON workspaces.clocks
        FOR EACH ROW WHEN (OLD.frozen_at IS DISTINCT FROM NEW.frozen_at) EXECUTE FUNCTION saga.wake_tasks();

      UPDATE saga.tasks SET status = status WHERE status = 'pending';
      DROP INDEX saga.tasks_waiting;
      CREATE INDEX tasks_waiting ON saga.tasks (wakes_at, due_at, id) WHERE status = 'pending';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER wake_tasks ON workspaces.clocks;
      DROP FUNCTION saga.wake_tasks;
      DROP TRIGGER set_wakes_at ON saga.tasks;
      DROP FUNCTION saga.set_wakes_at, saga.wakes_at;
      DROP INDEX saga.tasks_waiting;
      ALTER TABLE saga.tasks DROP COLUMN wakes_at;
      CREATE INDEX tasks_waiting ON saga.tasks (due_at, id) WHERE status = 'pending';
    `);
  }
}
