import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The usage of wallets with an automatic top-up that was refused for too few credits, and that is not recorded in their streams yet. A
 * wallet has one row: `required` is the most that a refused event costs. `note_id` is another one after each change of `required`.
 */
export class Refusals1700000004190 implements MigrationInterface {
  name = 'Refusals1700000004190';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE credits.refusals (
        workspace_id text        COLLATE "C" NOT NULL,
        customer_id  text        COLLATE "C" NOT NULL,
        credit_type  text        COLLATE "C" NOT NULL,
        required     numeric     NOT NULL,
        note_id      uuid        NOT NULL DEFAULT gen_random_uuid(),
        noted_at     timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, customer_id, credit_type)
      );
      CREATE INDEX refusals_noted_at ON credits.refusals (noted_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE credits.refusals');
  }
}
