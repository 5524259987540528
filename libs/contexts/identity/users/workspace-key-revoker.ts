import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { aggregateId } from '#libs/kernel/domain';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { apiKeyDecider } from '../api-key.js';
import { API_KEY_CHANGES_CHANNEL } from '../api-keys/api-key-authenticator.js';
import { lockKeyChanges } from '../api-keys/key-changes-lock.js';
import { CommandOutbox } from '../command-outbox.js';
import { ApiKey } from '../entities/api-key.entity.js';

/** Revokes all API keys of a workspace whose user may not be the owner of the e-mail address. */
@Injectable()
export class WorkspaceKeyRevoker {
  constructor(private readonly outbox: CommandOutbox) {}

  /**
   * Revokes all API keys of the workspace, whoever created them. Requests that make a key at this time are waited for, so their keys are
   * revoked too. Takes the same few statements for any number of keys. Returns the aggregates of the keys, whose events the caller must
   * deliver after the commit.
   */
  async revokeAll(manager: EntityManager, workspaceId: string, context: CommandContext): Promise<string[]> {
    await lockKeyChanges(manager, workspaceId);
    const result = await manager
      .createQueryBuilder()
      .update(ApiKey)
      .set({ revokedAt: systemClock.now() })
      .where({ workspaceId, revokedAt: IsNull() })
      .returning('id')
      .execute();
    const revoked = (result.raw as { id: string }[]).map(({ id }) => id);
    if (revoked.length === 0) return [];
    await this.outbox.addAll(
      manager,
      apiKeyDecider,
      revoked.map((apiKeyId) => ({
        aggregateId: aggregateId(workspaceId, apiKeyId),
        context: followUpContext(context, `revoke ${apiKeyId}`),
        command: { type: 'RevokeApiKey', apiKeyId },
      })),
    );
    // Other processes are notified when this transaction commits.
    await manager.query(`SELECT pg_notify('${API_KEY_CHANGES_CHANNEL}', '')`);
    return revoked.map((apiKeyId) => aggregateId(workspaceId, apiKeyId));
  }
}
