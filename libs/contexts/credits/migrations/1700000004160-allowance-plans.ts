import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The plans that may have an allowance, with the credit type of the allowance. A row is written before the allowance is added, and never
 * removed. So a reader of the allowance's event always finds it, and then reads the allowance from the credit type's stream.
 */
export class AllowancePlans1700000004160 implements MigrationInterface {
  name = 'AllowancePlans1700000004160';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE credits.allowance_plans (
        workspace_id text COLLATE "C" NOT NULL,
        plan_id      text COLLATE "C" NOT NULL,
        credit_type  text COLLATE "C" NOT NULL,
        PRIMARY KEY (workspace_id, plan_id, credit_type)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE credits.allowance_plans');
  }
}
