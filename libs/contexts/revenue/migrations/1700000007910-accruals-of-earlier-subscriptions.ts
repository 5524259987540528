import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Plans the first accrual of subscriptions that existed before accruals did, at the end of the month of the upgrade. Their events were read
 * before the process manager existed. Each running subscription has a timer for the end of its period, so the timers tell which there are.
 * A paused one can have none. It gets its accrual when it resumes. The month is that of UTC; the handler finds out the time zone.
 *
 * The index finds what the saga has still to accrue when a month is closed.
 */
export class AccrualsOfEarlierSubscriptions1700000007910 implements MigrationInterface {
  name = 'AccrualsOfEarlierSubscriptions1700000007910';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX tasks_of_revenue ON saga.tasks (workspace_id) WHERE process = 'revenue' AND status IN ('pending', 'running')
    `);
    await runner.query(`
      INSERT INTO saga.tasks (id, process, name, workspace_id, payload, due_at, clock, event_id, correlation_id)
      SELECT DISTINCT ON (id) 'tsk_' || upper(left(md5('first accrual ' || workspace_id || ' ' || id), 26)),
        'revenue', 'accrue-month', workspace_id,
        jsonb_build_object('subscriptionId', id, 'month', to_char(month, 'YYYY-MM')),
        (month + interval '1 month' - interval '1 millisecond') AT TIME ZONE 'UTC',
        'workspace', event_id, correlation_id
      FROM (
        SELECT t.payload ->> 'subscriptionId' AS id, t.workspace_id, t.event_id, t.correlation_id,
          date_trunc('month', coalesce(c.frozen_at, now()) AT TIME ZONE 'UTC') AS month
        FROM saga.tasks t JOIN workspaces.clocks c USING (workspace_id)
        WHERE t.process = 'billing' AND t.name = 'pass-boundary'
      ) timers
      ORDER BY id
      ON CONFLICT DO NOTHING
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX saga.tasks_of_revenue');
    await runner.query(`DELETE FROM saga.tasks WHERE process = 'revenue' AND status = 'pending'`);
  }
}
