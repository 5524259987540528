import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { aggregateId } from '#libs/kernel/domain';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { apiKeyDecider } from '../api-key.js';
import { API_KEY_CHANGES_CHANNEL } from '../api-keys/api-key-authenticator.js';
import { CommandOutbox } from '../command-outbox.js';
import { ApiKey } from '../entities/api-key.entity.js';
import type { User } from '../entities/user.entity.js';
import { WorkspaceUserFinder } from '../workspace-user-finder.js';

/** Revokes the API keys of a user who may not be the owner of the e-mail address. */
@Injectable()
export class UserKeyRevoker {
  constructor(
    private readonly outbox: CommandOutbox,
    private readonly people: WorkspaceUserFinder,
  ) {}

  /**
   * Revokes the API keys that the user created, directly or by means of other keys. A key whose creator is not known is revoked too, since
   * the event of a new key can still wait. Returns the aggregates of the keys, whose events the caller must deliver after the commit.
   */
  async revokeKeys(manager: EntityManager, user: User, context: CommandContext): Promise<string[]> {
    const { workspaceId } = user;
    const revoked: string[] = [];
    for (const { id: apiKeyId } of await manager.findBy(ApiKey, { workspaceId, revokedAt: IsNull() })) {
      const creator = await this.people.userIdOfActor(workspaceId, { type: 'api_key', id: apiKeyId });
      if (creator !== null && creator !== user.id) continue;
      const active = { id: apiKeyId, workspaceId, revokedAt: IsNull() };
      const { affected } = await manager.update(ApiKey, active, { revokedAt: systemClock.now() });
      if (affected !== 1) continue;
      const aggregate = aggregateId(workspaceId, apiKeyId);
      const step = followUpContext(context, `revoke ${apiKeyId}`);
      await this.outbox.add(manager, apiKeyDecider, aggregate, step, { type: 'RevokeApiKey', apiKeyId });
      revoked.push(aggregate);
    }
    // Other processes are notified when this transaction commits.
    if (revoked.length > 0) await manager.query(`SELECT pg_notify('${API_KEY_CHANGES_CHANNEL}', '')`);
    return revoked;
  }
}
