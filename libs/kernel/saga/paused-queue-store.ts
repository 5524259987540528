import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { Instant } from '#libs/kernel/core';
import { preparedStatement } from '#libs/kernel/postgres';
import { TASKS_CHANNEL } from './stored-tasks.js';

/** A queue of a process manager's tasks in one workspace. */
export interface TaskQueue {
  readonly process: string;
  readonly workspaceId: string;
  readonly queue: string;
}

/**
 * Queues of tasks that are paused because the system to which the tasks send data does not work. No task of a paused queue is performed
 * until the pause ends. After the pause, the tasks are tried one at a time, until a task succeeds and the queue is resumed.
 */
@Injectable()
export class PausedQueueStore {
  constructor(private readonly pool: Pool) {}

  /**
   * Pauses the queue for this many seconds from now, by the machine's clock. A longer existing pause stays. Returns whether the queue was not
   * paused before, and the end of the pause.
   */
  async pause(
    { process, workspaceId, queue }: TaskQueue,
    seconds: number,
  ): Promise<{ isNew: boolean; until: Instant }> {
    const { rows } = await this.pool.query<{ isNew: boolean; until: Instant }>(
      `INSERT INTO saga.queue_holds AS h (process, workspace_id, queue, until)
       VALUES ($1, $2, $3, now() + make_interval(secs => $4))
       ON CONFLICT (process, workspace_id, queue) DO UPDATE SET until = greatest(h.until, excluded.until)
       RETURNING xmax = 0 AS "isNew", until`,
      [process, workspaceId, queue, seconds],
    );
    return rows[0]!;
  }

  /** Ends the pause of the queue. Returns whether the queue was paused. */
  async resume({ process, workspaceId, queue }: TaskQueue): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      preparedStatement(
        `WITH released AS (
           DELETE FROM saga.queue_holds WHERE process = $1 AND workspace_id = $2 AND queue = $3 RETURNING 1
         ) SELECT pg_notify('${TASKS_CHANNEL}', $1) FROM released`,
        [process, workspaceId, queue],
      ),
    );
    return rowCount !== 0;
  }

  /** Returns the number of paused queues of a process manager, in all workspaces. */
  async countPaused(process: string): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM saga.queue_holds WHERE process = $1',
      [process],
    );
    return rows[0]!.count;
  }

  /** The end of the pause of each paused queue in a workspace. If the end is in the past, the queue performs one task at a time. */
  async pauseEnds(process: string, workspaceId: string): Promise<Map<string, Instant>> {
    const { rows } = await this.pool.query<{ queue: string; until: Instant }>(
      'SELECT queue, until FROM saga.queue_holds WHERE process = $1 AND workspace_id = $2',
      [process, workspaceId],
    );
    return new Map(rows.map(({ queue, until }) => [queue, until]));
  }
}
