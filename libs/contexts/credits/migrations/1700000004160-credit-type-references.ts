import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The plans that may have an allowance, and the metrics that may have a rate, with the credit type. A row is written before the allowance
 * or rate is added, and is never removed. So a process that reacts to the event finds the row, and then reads the credit type's stream.
 */
export class CreditTypeReferences1700000004160 implements MigrationInterface {
  name = 'CreditTypeReferences1700000004160';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE credits.credit_type_references (
        workspace_id text COLLATE "C" NOT NULL,
        kind         text COLLATE "C" NOT NULL CHECK (kind IN ('plan', 'metric')),
        target_id    text COLLATE "C" NOT NULL,
        credit_type  text COLLATE "C" NOT NULL,
        PRIMARY KEY (workspace_id, kind, target_id, credit_type)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE credits.credit_type_references');
  }
}
