import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Conflict, InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import { SharedReadings, systemClock } from '#libs/kernel/system';
import { prepared, type Queryable } from '#libs/kernel/postgres';

/** `sandbox`: payments are simulated and the clock can be moved. `live`: the clock is the world's. */
export type WorkspaceMode = 'sandbox' | 'live';

/** A workspace's time. */
export interface ClockReading {
  now: Instant;
  /** Whether the clock stands still until it is moved (sandbox only). */
  frozen: boolean;
}

interface ClockRow {
  mode: WorkspaceMode;
  frozen_at: Instant | null;
}

/**
 * Each workspace's clock. A row in Postgres says where a frozen one stands; it is operational state, as timers
 * are: what happened under it carries its own business time in the event, so a replay does not need it.
 */
@Injectable()
export class WorkspaceClock {
  /** A workspace never becomes live or sandbox later, and a live one's clock needs no look. */
  private readonly live = new Set<string>();
  /** Of the workspaces that are being asked for: each write needs the time, and many come at once. */
  private readonly readings = new SharedReadings<ClockRow>();

  constructor(private readonly pool: Pool) {}

  /** Registers a workspace's clock. Part of the transaction that creates the workspace. */
  async create(accountId: string, mode: WorkspaceMode, db: Queryable = this.pool): Promise<void> {
    await db.query(
      'INSERT INTO workspaces.clocks (account_id, mode) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [accountId, mode],
    );
  }

  /** The workspace's time. */
  async now(accountId: string): Promise<Instant> {
    return (await this.read(accountId)).now;
  }

  /** The workspace's time and whether it stands still. NotFound if there is no such workspace. */
  async read(accountId: string): Promise<ClockReading> {
    if (this.live.has(accountId)) return { now: systemClock.now(), frozen: false };
    const row = await this.row(accountId);
    if (row.mode === 'live') this.live.add(accountId);
    return row.frozen_at === null
      ? { now: systemClock.now(), frozen: false }
      : { now: row.frozen_at, frozen: true };
  }

  async mode(accountId: string): Promise<WorkspaceMode> {
    return this.live.has(accountId) ? 'live' : (await this.row(accountId)).mode;
  }

  /**
   * Freezes a sandbox's clock at any moment, past ones too. Conflict (`clock_in_use`) once the workspace has had a
   * subscription: from then on time only moves forward, by an advance.
   */
  async set(accountId: string, to: Instant): Promise<ClockReading> {
    await this.requireSandbox(accountId);
    const { rowCount } = await this.pool.query(
      'UPDATE workspaces.clocks SET frozen_at = $2 WHERE account_id = $1 AND NOT in_use',
      [accountId, to],
    );
    if (rowCount === 0)
      throw new Conflict(
        'clock_in_use',
        'The workspace has subscriptions, so its clock cannot be set; move it with POST /v1/sandbox/clock/advance',
      );
    return { now: to, frozen: true };
  }

  /** Moves a sandbox's clock forward to `to`, which freezes it; a clock already beyond stays where it is. */
  async moveTo(accountId: string, to: Instant): Promise<void> {
    await this.pool.query(
      `UPDATE workspaces.clocks SET frozen_at = greatest(coalesce(frozen_at, $2), $2)
       WHERE account_id = $1 AND mode = 'sandbox'`,
      [accountId, to],
    );
  }

  /** From now on the clock may only move forward. Called before a subscription is created. */
  async markInUse(accountId: string): Promise<void> {
    await this.pool.query('UPDATE workspaces.clocks SET in_use = true WHERE account_id = $1 AND NOT in_use', [
      accountId,
    ]);
  }

  async requireSandbox(accountId: string): Promise<void> {
    if ((await this.mode(accountId)) !== 'sandbox')
      throw new InvalidRequest('not_a_sandbox', 'Only the clock of a sandbox workspace can be moved');
  }

  /** Never read before the call, so a clock that has been moved is seen by all who ask afterwards. */
  private row(accountId: string): Promise<ClockRow> {
    return this.readings.read(accountId, () => this.load(accountId));
  }

  private async load(accountId: string): Promise<ClockRow> {
    const { rows } = await this.pool.query<ClockRow>(
      prepared('SELECT mode, frozen_at FROM workspaces.clocks WHERE account_id = $1', [accountId]),
    );
    if (!rows[0]) throw NotFound.of('workspace', accountId);
    return rows[0];
  }
}
