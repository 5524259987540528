import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Takes due tasks in turns: of each workspace, and of its lanes, which are the process managers and their queues. The tasks must be found
 * without reading all tasks of a workspace that has 100,000. So a column `ready` separates due tasks from sleeping ones, and due tasks have
 * an index that leads from lane to lane. Holds keep back the tasks of a queue.
 */
export class FairTasks1700000004010 implements MigrationInterface {
  name = 'FairTasks1700000004010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE saga.tasks ADD COLUMN ready boolean NOT NULL DEFAULT false;

      CREATE OR REPLACE FUNCTION saga.set_wakes_at() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        stands_at timestamptz;
      BEGIN
        IF NEW.clock = 'workspace' THEN
          SELECT frozen_at INTO stands_at FROM workspaces.clocks WHERE workspace_id = NEW.workspace_id FOR SHARE;
        END IF;
        NEW.wakes_at := saga.wakes_at(NEW.due_at, NEW.not_before, stands_at);
        NEW.ready := NEW.wakes_at <= now();
        RETURN NEW;
      END $$;

      CREATE OR REPLACE FUNCTION saga.wake_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        after timestamptz := '-infinity';
        until timestamptz := 'infinity';
      BEGIN
        -- What lies on the same side of both times is as it was.
        IF OLD.frozen_at IS NOT NULL THEN
          after := least(OLD.frozen_at, NEW.frozen_at);
          until := greatest(OLD.frozen_at, NEW.frozen_at);
        END IF;
        UPDATE saga.tasks SET wakes_at = saga.wakes_at(due_at, not_before, NEW.frozen_at),
          ready = saga.wakes_at(due_at, not_before, NEW.frozen_at) <= now()
        WHERE workspace_id = NEW.workspace_id AND clock = 'workspace' AND status = 'pending'
          AND due_at > after AND due_at <= until;
        RETURN NULL;
      END $$;

      UPDATE saga.tasks SET ready = true WHERE status = 'pending' AND wakes_at <= now();
      DROP INDEX saga.tasks_waiting;
      CREATE INDEX tasks_asleep ON saga.tasks (process, wakes_at) WHERE status = 'pending' AND NOT ready;
      CREATE INDEX tasks_ready ON saga.tasks
        (process, workspace_id COLLATE "C", coalesce(queue, '') COLLATE "C", wakes_at, due_at, id)
        WHERE status = 'pending' AND ready;

      CREATE TABLE saga.queue_holds (
        process    text NOT NULL,
        workspace_id text COLLATE "C" NOT NULL,
        queue      text COLLATE "C" NOT NULL,
        until      timestamptz NOT NULL,
        PRIMARY KEY (process, workspace_id, queue)
      );

      ${TAKE_TASKS}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION saga.take_tasks;
      DROP TABLE saga.queue_holds;
      DROP INDEX saga.tasks_asleep, saga.tasks_ready;
      CREATE INDEX tasks_waiting ON saga.tasks (wakes_at, due_at, id) WHERE status = 'pending';

      CREATE OR REPLACE FUNCTION saga.set_wakes_at() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        stands_at timestamptz;
      BEGIN
        IF NEW.clock = 'workspace' THEN
          SELECT frozen_at INTO stands_at FROM workspaces.clocks WHERE workspace_id = NEW.workspace_id FOR SHARE;
        END IF;
        NEW.wakes_at := saga.wakes_at(NEW.due_at, NEW.not_before, stands_at);
        RETURN NEW;
      END $$;

      CREATE OR REPLACE FUNCTION saga.wake_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        after timestamptz := '-infinity';
        until timestamptz := 'infinity';
      BEGIN
        IF OLD.frozen_at IS NOT NULL THEN
          after := least(OLD.frozen_at, NEW.frozen_at);
          until := greatest(OLD.frozen_at, NEW.frozen_at);
        END IF;
        UPDATE saga.tasks SET wakes_at = saga.wakes_at(due_at, not_before, NEW.frozen_at)
        WHERE workspace_id = NEW.workspace_id AND clock = 'workspace' AND status = 'pending'
          AND due_at > after AND due_at <= until;
        RETURN NULL;
      END $$;
      ALTER TABLE saga.tasks DROP COLUMN ready;
    `);
  }
}

/**
 * Takes tasks of the process managers in \`processes\` for a worker with \`free\` slots. Returns the workspace after which the search must
 * continue, or none if all workspaces were searched. Calls of all processes run one after another, so that the limits are exact.
 *
 * A workspace takes another task while it has fewer running tasks than free slots exist here. Workspaces with the fewest running tasks come
 * first. Within a workspace, the lane with the fewest running tasks comes first. A queue has at most \`per_queue\` running tasks. A held
 * queue has none until its hold ends, and then one.
 *
 * The settings force the plan that follows the indexes, however many due tasks Postgres expects.
 */
const TAKE_TASKS = `
  CREATE FUNCTION saga.take_tasks(taker bigint, free integer, per_queue integer, processes text[], after text)
  RETURNS TABLE (task saga.tasks, next text) LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
    of_lanes jsonb;
    of_workspaces jsonb;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('saga.take_tasks', 0));

    UPDATE saga.tasks SET ready = true WHERE id = ANY(ARRAY(
      SELECT due.id FROM unnest(processes) p(process) CROSS JOIN LATERAL (
        SELECT t.id FROM saga.tasks t
        WHERE t.status = 'pending' AND NOT t.ready AND t.process = p.process AND t.wakes_at <= now()
        ORDER BY t.wakes_at LIMIT 2000 FOR UPDATE SKIP LOCKED
      ) due));

    WITH lanes AS (
      SELECT t.workspace_id, t.process || ' ' || t.workspace_id || ' ' || coalesce(t.queue, '') AS lane, count(*) AS n
      FROM saga.tasks t WHERE t.status = 'running' AND t.process = ANY(processes) GROUP BY 1, 2
    ), workspaces_at_work AS (
      SELECT workspace_id, sum(n) AS n FROM lanes GROUP BY 1
    )
    SELECT coalesce((SELECT jsonb_object_agg(lane, n) FROM lanes), '{}'),
      coalesce((SELECT jsonb_object_agg(workspace_id, n) FROM workspaces_at_work), '{}')
    INTO of_lanes, of_workspaces;

    RETURN QUERY
    WITH RECURSIVE lanes AS (
      SELECT p.process, after || chr(1) COLLATE "C" AS workspace_id, '' COLLATE "C" AS queue, NULL::timestamptz AS head,
        0 AS at_work, 0 AS room, 0 AS workspaces_at_work, '' COLLATE "C" AS last
      FROM unnest(processes) p(process)
      UNION ALL
      SELECT l.process, n.workspace_id, n.queue, n.wakes_at, w.of_lane, r.room,
        l.workspaces_at_work + (r.room > 0 AND n.workspace_id <> l.last)::integer,
        CASE WHEN r.room > 0 THEN n.workspace_id ELSE l.last END
      FROM lanes l
      CROSS JOIN LATERAL (
        SELECT t.workspace_id COLLATE "C" AS workspace_id, coalesce(t.queue, '') COLLATE "C" AS queue, t.wakes_at
        FROM saga.tasks t
        WHERE t.status = 'pending' AND t.ready AND t.process = l.process
          AND (t.workspace_id COLLATE "C", coalesce(t.queue, '') COLLATE "C") > (l.workspace_id, l.queue)
        ORDER BY t.workspace_id COLLATE "C", coalesce(t.queue, '') COLLATE "C", t.wakes_at LIMIT 1
      ) n
      LEFT JOIN LATERAL (
        SELECT h.until FROM saga.queue_holds h
        WHERE h.process = l.process AND h.workspace_id = n.workspace_id AND h.queue = n.queue LIMIT 1
      ) h ON n.queue <> ''
      CROSS JOIN LATERAL (
        SELECT coalesce((of_lanes ->> (l.process || ' ' || n.workspace_id || ' ' || n.queue))::integer, 0) AS of_lane,
          coalesce((of_workspaces ->> n.workspace_id)::integer, 0) AS of_workspace
      ) w
      CROSS JOIN LATERAL (
        SELECT greatest(0, least((free + 1 - w.of_workspace) / 2, CASE
          WHEN n.queue = '' THEN free
          WHEN h.until IS NULL THEN per_queue - w.of_lane
          WHEN h.until <= now() THEN 1 - w.of_lane
          ELSE 0
        END)) AS room
      ) r
      WHERE l.workspaces_at_work <= free
    ), seen AS (
      -- Once there is a workspace for each slot the next look goes on with the one after them.
      SELECT min(workspace_id) AS bound FROM lanes WHERE workspaces_at_work > free
    ), candidates AS (
      SELECT l.workspace_id, t.id, t.wakes_at, t.due_at, l.at_work + row_number() OVER (
          PARTITION BY l.process, l.workspace_id, l.queue ORDER BY t.wakes_at, t.due_at, t.id) AS place
      FROM seen, lanes l
      CROSS JOIN LATERAL (
        SELECT t.id, t.wakes_at, t.due_at FROM saga.tasks t
        WHERE t.status = 'pending' AND t.ready AND t.process = l.process AND t.workspace_id COLLATE "C" = l.workspace_id
          AND coalesce(t.queue, '') COLLATE "C" = l.queue AND t.wakes_at >= l.head
        ORDER BY t.wakes_at, t.due_at, t.id LIMIT l.room
      ) t
      WHERE l.room > 0 AND (seen.bound IS NULL OR l.workspace_id < seen.bound)
    ), placed AS (
      SELECT c.id, c.wakes_at, c.due_at, coalesce((of_workspaces ->> c.workspace_id)::integer, 0) + row_number() OVER (
          PARTITION BY c.workspace_id ORDER BY c.place, c.wakes_at, c.due_at, c.id) AS place
      FROM candidates c
    ), numbered AS (
      SELECT p.id, p.place + row_number() OVER (ORDER BY p.place, p.wakes_at, p.due_at, p.id) AS total FROM placed p
    ), chosen AS (
      SELECT t.id FROM numbered n CROSS JOIN LATERAL (
        SELECT t.id, t.status FROM saga.tasks t WHERE t.id = n.id FOR UPDATE SKIP LOCKED
      ) t WHERE n.total <= free + 1 AND t.status = 'pending'
    ), taken AS (
      UPDATE saga.tasks t SET status = 'running', worker = taker, attempts = t.attempts + 1
      WHERE t.id = ANY(ARRAY(SELECT c.id FROM chosen c)) RETURNING t AS task
    )
    SELECT t.task, CASE WHEN s.bound IS NULL THEN ''
      ELSE (SELECT max(l.workspace_id) FROM lanes l WHERE l.workspace_id < s.bound) END
    FROM taken t CROSS JOIN seen s;
  END $$;
`;
