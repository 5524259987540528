import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The limits in force, and how far they are used.
 *
 * rules: one row for each limit that is not deleted. `rule` is null while its metric is deleted or cannot be counted.
 * counters: the usage of one customer in one window of a limit. Usage changes it in the transaction that stores the usage. A row is made from
 * the usage log when it is first needed. `metric_version` 0: it must be made again. `counted_at`: when it was made, by the machine's clock.
 * distinct_values: the digests of the values that a counter of a `count_distinct` metric has counted.
 * notices: the thresholds that were reached and are not told yet.
 */
export class Limits1700000004150 implements MigrationInterface {
  name = 'Limits1700000004150';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA limits;

      CREATE TABLE limits.rules (
        workspace_id text COLLATE "C" NOT NULL,
        limit_id     text COLLATE "C" NOT NULL,
        customer_id  text COLLATE "C",
        metric_id    text COLLATE "C" NOT NULL,
        rule         jsonb,
        PRIMARY KEY (workspace_id, limit_id)
      );
      CREATE INDEX rules_of_customer ON limits.rules (workspace_id, customer_id);
      CREATE INDEX rules_of_metric ON limits.rules (workspace_id, metric_id);

      CREATE TABLE limits.counters (
        workspace_id   text        COLLATE "C" NOT NULL,
        limit_id       text        COLLATE "C" NOT NULL,
        customer_id    text        COLLATE "C" NOT NULL,
        window_start   timestamptz NOT NULL,
        window_end     timestamptz,
        used           numeric     NOT NULL,
        metric_version int         NOT NULL,
        epoch          int         NOT NULL DEFAULT 1,
        told           jsonb       NOT NULL DEFAULT '[]',
        counted_at     timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, limit_id, customer_id, window_start)
      ) WITH (fillfactor = 50);
      CREATE INDEX counters_by_age ON limits.counters (counted_at);
      CREATE INDEX counters_of_customer ON limits.counters (workspace_id, customer_id);

      CREATE TABLE limits.distinct_values (
        workspace_id text        COLLATE "C" NOT NULL,
        limit_id     text        COLLATE "C" NOT NULL,
        customer_id  text        COLLATE "C" NOT NULL,
        window_start timestamptz NOT NULL,
        value        bytea       NOT NULL,
        PRIMARY KEY (workspace_id, limit_id, customer_id, window_start, value),
        FOREIGN KEY (workspace_id, limit_id, customer_id, window_start) REFERENCES limits.counters ON DELETE CASCADE
      );

      CREATE TABLE limits.notices (
        workspace_id text        COLLATE "C" NOT NULL,
        limit_id     text        COLLATE "C" NOT NULL,
        customer_id  text        COLLATE "C" NOT NULL,
        window_start timestamptz NOT NULL,
        threshold    text        COLLATE "C" NOT NULL,
        notice       jsonb       NOT NULL,
        noted_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (workspace_id, limit_id, customer_id, window_start, threshold)
      );
      CREATE INDEX notices_by_time ON limits.notices (noted_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA limits CASCADE');
  }
}
