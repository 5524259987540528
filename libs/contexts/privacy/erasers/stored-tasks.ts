import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Unavailable } from '#libs/kernel/core';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';

const BATCH = 1_000;
/**
 * The kinds of tasks whose payloads contain texts of events. Such a task is never planned for later, so the erasure waits only until a
 * worker has done it.
 */
const WITH_TEXTS = ['fan-out', 'credit-voided-block', 'void-credit-note', 'reverse-payment'];

/**
 * Removes payloads that contain texts of events from ended tasks, if the payloads contain an id of the person. The payloads of all other
 * tasks contain only ids. Removes the errors of all tasks whose payloads contain an id of the person.
 */
@Injectable()
export class StoredTasksEraser implements PersonalDataEraser {
  readonly phase = 'after_key_erasure';

  constructor(private readonly pool: Pool) {}

  /**
   * Removes the payloads and the errors. Some payloads contain JSON as a text with escaped quotes, so the ids are also searched in their escaped form.
   * Throws Unavailable while a task that may contain a text about the person is not done.
   */
  async erase({ workspaceId, ids }: ErasedPerson): Promise<void> {
    const quoted = [...ids].map((id) => `%"${id.replaceAll('_', '\\_')}"%`);
    const { rowCount } = await this.pool.query(
      `SELECT FROM saga.tasks WHERE workspace_id = $1 AND status IN ('pending', 'running') AND name = ANY($2)
         AND replace(payload::text, '\\"', '"') LIKE ANY($3) LIMIT 1`,
      [workspaceId, WITH_TEXTS, quoted],
    );
    if (rowCount)
      throw new Unavailable(
        'messages_behind',
        'Messages about the person are still to be written; the erasure waits for them',
      );
    for (let emptied: number | null = BATCH; emptied === BATCH;)
      ({ rowCount: emptied } = await this.pool.query(
        `UPDATE saga.tasks SET payload = '{}', last_error = NULL WHERE id IN (
           SELECT id FROM saga.tasks WHERE workspace_id = $1 AND status IN ('done', 'failed') AND payload <> '{}'
             AND name = ANY($2) AND replace(payload::text, '\\"', '"') LIKE ANY($3) LIMIT ${BATCH})`,
        [workspaceId, WITH_TEXTS, quoted],
      ));
    // An error of an earlier version can quote texts of events, such as the value that the SQL of a metric could not read.
    for (let cleared: number | null = BATCH; cleared === BATCH;)
      ({ rowCount: cleared } = await this.pool.query(
        `UPDATE saga.tasks SET last_error = NULL WHERE id IN (
           SELECT id FROM saga.tasks WHERE workspace_id = $1 AND status <> 'running' AND last_error IS NOT NULL
             AND replace(payload::text, '\\"', '"') LIKE ANY($2) LIMIT ${BATCH})`,
        [workspaceId, quoted],
      ));
  }
}
