import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { mentionsAnyId, parseJsonWithRawNumbers, withoutPersonalTexts } from '#libs/kernel/core';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';

const BATCH = 500;

/**
 * Removes the personal data of an erased person from deliveries. The messages of the deliveries keep ids, states, amounts and times, so
 * that a waiting delivery still tells what happened. The responses of receivers are removed, since a response can repeat the message.
 */
@Injectable()
export class DeliveriesEraser implements PersonalDataEraser {
  readonly phase = 'after_key_erasure';

  constructor(private readonly pool: Pool) {}

  async erase({ workspaceId, ids }: ErasedPerson): Promise<void> {
    for (let after = '0'; ;) {
      const { rows } = await this.pool.query<{ id: string; number: string; body: string }>(
        `SELECT id, number, body FROM webhooks.deliveries WHERE workspace_id = $1 AND number > $2
         ORDER BY number LIMIT ${BATCH}`,
        [workspaceId, after],
      );
      const last = rows.at(-1);
      if (!last) return;
      for (const { id, body } of rows) {
        const message = parseJsonWithRawNumbers(body) as { data: object };
        if (!mentionsAnyId(message.data, ids)) continue;
        const erased = JSON.stringify({ ...message, data: withoutPersonalTexts(message.data) });
        await this.pool.query('UPDATE webhooks.deliveries SET body = $2 WHERE id = $1', [id, erased]);
        await this.pool.query('UPDATE webhooks.attempts SET response = NULL WHERE delivery_id = $1', [id]);
      }
      after = last.number;
    }
  }
}
