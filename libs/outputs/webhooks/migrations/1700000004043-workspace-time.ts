import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deliveries are retried by their workspace's clock. If the clock stands still, waiting deliveries are due at once. */
export class DeliveriesInWorkspaceTime1700000004043 implements MigrationInterface {
  name = 'DeliveriesInWorkspaceTime1700000004043';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE webhooks.deliveries d SET next_attempt_at = c.frozen_at, begun_at = c.frozen_at
      FROM workspaces.clocks c
      WHERE c.workspace_id = d.workspace_id AND c.frozen_at IS NOT NULL AND d.status = 'pending';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE webhooks.deliveries d SET next_attempt_at = now(), begun_at = NULL
      FROM workspaces.clocks c
      WHERE c.workspace_id = d.workspace_id AND c.frozen_at IS NOT NULL AND d.status = 'pending';
    `);
  }
}
