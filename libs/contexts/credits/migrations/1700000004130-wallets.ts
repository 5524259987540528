import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The present state of wallets. Usage changes it in the transaction that stores the usage. It is a cache: the streams and the usage log
 * have the same data.
 *
 * wallets: `state` includes the events of the wallet's stream up to `revision`. `unsettled` has the draws of usage since then, from the
 * instant `unsettled_since` of the machine's clock. `settling` has the draws that are being appended to the stream as one event. It
 * includes the usage log up to `settling_to`. `changing`: a command may have appended events that `state` does not include.
 * `pending_since`: when that change or settlement was begun, by the machine's clock. commands: the ids of the commands on each wallet, and
 * the revisions of their first events. A command with such an id is not run again.
 */
export class Wallets1700000004130 implements MigrationInterface {
  name = 'Wallets1700000004130';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA credits;

      CREATE TABLE credits.wallets (
        workspace_id    text        COLLATE "C" NOT NULL,
        customer_id     text        COLLATE "C" NOT NULL,
        credit_type     text        COLLATE "C" NOT NULL,
        state           jsonb       NOT NULL,
        revision        bigint      NOT NULL DEFAULT -1,
        unsettled       jsonb       NOT NULL DEFAULT '[]',
        unsettled_since timestamptz,
        settling        jsonb,
        settling_to     bigint,
        pending_since   timestamptz,
        changing        boolean     NOT NULL DEFAULT false,
        PRIMARY KEY (workspace_id, customer_id, credit_type)
      ) WITH (fillfactor = 50);
      CREATE INDEX wallets_unsettled ON credits.wallets (unsettled_since) WHERE unsettled_since IS NOT NULL;
      CREATE INDEX wallets_pending ON credits.wallets (pending_since) WHERE pending_since IS NOT NULL;

      CREATE TABLE credits.commands (
        workspace_id text   COLLATE "C" NOT NULL,
        customer_id  text   COLLATE "C" NOT NULL,
        credit_type  text   COLLATE "C" NOT NULL,
        command_id   text   COLLATE "C" NOT NULL,
        revision     bigint NOT NULL,
        PRIMARY KEY (workspace_id, customer_id, credit_type, command_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA credits CASCADE');
  }
}
