import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Conflict, StateConflict, NotFound, type Instant } from '#libs/kernel/core';
import { CoalescedReads, systemClock } from '#libs/kernel/system';
import { preparedStatement, type Queryable } from '#libs/kernel/postgres';

/** In a `sandbox`, payments are simulated and the clock can be moved. In a `live` workspace, the clock shows real time. */
export type WorkspaceMode = 'sandbox' | 'live';

/** A workspace's time. */
export interface ClockReading {
  now: Instant;
  /** True if the clock stands still until it is moved (sandbox only). */
  frozen: boolean;
}

interface ClockRow {
  mode: WorkspaceMode;
  frozen_at: Instant | null;
}

/**
 * The clocks of workspaces. Postgres stores the time of a frozen clock, which is not computed from events. Each event contains its own
 * business time, so a replay of events does not need the clock.
 */
@Injectable()
export class WorkspaceClock {
  /** The workspaces that are known to be live. The mode of a workspace never changes, and the clock of a live workspace needs no read. */
  private readonly live = new Set<string>();
  /** The pending reads of clocks. Each write request needs the workspace's time, so simultaneous requests share one read. */
  private readonly readings = new CoalescedReads<ClockRow>({ startsAtOnce: false });

  constructor(private readonly pool: Pool) {}

  /** Registers a workspace's clock. `create` runs in the transaction that creates the workspace. */
  async create(workspaceId: string, mode: WorkspaceMode, db: Queryable = this.pool): Promise<void> {
    await db.query(
      'INSERT INTO workspaces.clocks (workspace_id, mode) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [workspaceId, mode],
    );
  }

  /** The workspace's time. */
  async now(workspaceId: string): Promise<Instant> {
    return (await this.read(workspaceId)).now;
  }

  /** Returns the workspace's time and whether it stands still. Throws NotFound if the workspace does not exist. */
  async read(workspaceId: string): Promise<ClockReading> {
    if (this.live.has(workspaceId)) return { now: systemClock.now(), frozen: false };
    const row = await this.row(workspaceId);
    if (row.mode === 'live') this.live.add(workspaceId);
    return row.frozen_at === null
      ? { now: systemClock.now(), frozen: false }
      : { now: row.frozen_at, frozen: true };
  }

  async readMode(workspaceId: string): Promise<WorkspaceMode> {
    return this.live.has(workspaceId) ? 'live' : (await this.row(workspaceId)).mode;
  }

  /**
   * Freezes a sandbox's clock at any moment, even in the past. Throws Conflict (`clock_in_use`) if the clock was marked by
   * {@link markInUse}, since its time may then only move forward, by an advance. Throws StateConflict (`not_a_sandbox`) for a live
   * workspace.
   */
  async freezeAt(workspaceId: string, to: Instant): Promise<ClockReading> {
    await this.requireSandbox(workspaceId);
    const { rowCount } = await this.pool.query(
      'UPDATE workspaces.clocks SET frozen_at = $2 WHERE workspace_id = $1 AND NOT in_use',
      [workspaceId, to],
    );
    if (rowCount === 0)
      throw new Conflict(
        'clock_in_use',
        'The clock cannot be set once the workspace has had a subscription, a license, a price migration or a closed month; move it with ' +
          'POST /v1/sandbox/clock/advance',
      );
    return { now: to, frozen: true };
  }

  /** Moves a sandbox's clock forward to `to` and freezes it there. A clock that already shows a later time is not changed. */
  async moveForwardTo(workspaceId: string, to: Instant): Promise<void> {
    await this.pool.query(
      `UPDATE workspaces.clocks SET frozen_at = greatest(coalesce(frozen_at, $2), $2)
       WHERE workspace_id = $1 AND mode = 'sandbox'`,
      [workspaceId, to],
    );
  }

  /**
   * Marks the clock so that it can only move forward. `markInUse` is called before a subscription is created, a license is allocated, a
   * price migration is scheduled or a month is closed.
   */
  async markInUse(workspaceId: string): Promise<void> {
    await this.pool.query(
      'UPDATE workspaces.clocks SET in_use = true WHERE workspace_id = $1 AND NOT in_use',
      [workspaceId],
    );
  }

  async requireSandbox(workspaceId: string): Promise<void> {
    if ((await this.readMode(workspaceId)) !== 'sandbox')
      throw new StateConflict('not_a_sandbox', 'Only the clock of a sandbox workspace can be moved');
  }

  /** Returns the clock's row. A shared read begins only after the call, so a caller after a move of the clock sees the new time. */
  private row(workspaceId: string): Promise<ClockRow> {
    return this.readings.read(workspaceId, () => this.load(workspaceId));
  }

  private async load(workspaceId: string): Promise<ClockRow> {
    const { rows } = await this.pool.query<ClockRow>(
      preparedStatement('SELECT mode, frozen_at FROM workspaces.clocks WHERE workspace_id = $1', [
        workspaceId,
      ]),
    );
    if (!rows[0]) throw NotFound.of('workspace', workspaceId);
    return rows[0];
  }
}
